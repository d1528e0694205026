//! Caps on the leases in flight: who has room for another one.

use super::{Ask, Provider};
use crate::types::CredentialIndex;

impl Provider {
    /// Whether its credentials serve as many attempts together as they may.
    #[inline(always)]
    pub(crate) fn is_full(&self) -> bool {
        self.config.max_concurrent.is_some_and(|most| self.in_flight >= most)
    }

    /// Whether the credential may have another lease.
    #[inline(always)]
    pub(crate) fn has_room(&self, credential: CredentialIndex) -> bool {
        !self.is_full() && self.get(credential).is_some_and(|known| known.has_room())
    }

    /// Whether the end of a lease can make a difference to the choice.
    #[inline(always)]
    pub(crate) fn is_capped(&self) -> bool {
        self.caps || self.config.max_concurrent.is_some()
    }

    /// Whether nothing but a cap keeps the credential from the request: not time, unless it only waits for
    /// a probe, which it would not have to do if it were the last one left.
    pub(crate) fn is_crowded(&self, credential: CredentialIndex, ask: &Ask<'_>) -> bool {
        !self.has_room(credential)
            && self.pause_hold(ask.now).is_none()
            && !self.is_held_firmly(credential, ask)
    }

    /// Whether somebody could serve the request now, were it not for a cap.
    #[inline(never)]
    pub(super) fn is_short_of_room(&self, ask: &Ask<'_>) -> bool {
        self.is_capped()
            && self.comers(ask).any(|index| {
                self.is_crowded(index, ask) || self.config.fail_open && !self.has_room(index)
            })
    }

    /// Whether the session would have got the credential, were it not for a cap: it is free, and ranks no
    /// lower than those who serve.
    pub(crate) fn would_serve(&self, credential: CredentialIndex, ask: &Ask<'_>) -> bool {
        let Some(known) = self.get(credential) else { return false };
        let tiers = known.seat.map(|(tier, _)| tier).zip(self.serving_tier(ask));
        known.is_on()
            && !self.has_room(credential)
            && tiers.is_none_or(|(own, serving)| own <= serving)
            && self.fits(credential, ask)
            && !self.is_resting(credential)
            && self.model_held(credential, ask.model_hash, ask.now).is_none()
    }

    /// Marks a credential available again of which a lease has ended, if nothing else keeps it out.
    #[inline(never)]
    pub(super) fn make_room(&mut self, credential: CredentialIndex) {
        let is_free = self.get(credential).is_some_and(|known| known.is_on() && known.has_room());
        self.mark(credential, is_free && !self.is_resting(credential));
    }
}
