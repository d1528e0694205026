//! What a person, the host or a proof decides: resets, disabling, coming back.

use super::Pool;
use crate::blacklist::Strikes;
use crate::credential::{Credential, Disabled, Refresh};
use crate::event::{DisableRequest, EventKind};
use crate::types::{Class, CredentialIndex, Inside, ProviderIndex, Wall};

impl Pool {
    /// Ends every rest of a credential, its models' and its quota group's too; answers false when there
    /// is no such credential.
    pub fn reset(
        &mut self,
        provider: ProviderIndex,
        credential: CredentialIndex,
        now: Wall,
    ) -> bool {
        self.lift(provider, credential, |_| true, now)
    }

    /// Takes in that a quota is there again: ends the rests that it caused, and no others, and takes the
    /// credential off the blacklist if its quota brought it there. Answers false when there is no such
    /// credential.
    pub fn recover_quota(
        &mut self,
        provider: ProviderIndex,
        credential: CredentialIndex,
        now: Wall,
    ) -> bool {
        let by_quota = |cause| cause == Some(Class::QuotaExhausted);
        let moment = self.begin(now);
        let known = self.credential_mut(provider, credential);
        let listed = |known: &&mut Credential| by_quota(known.strikes.listed().map(|it| it.cause));
        if let Some(known) = known.filter(listed) {
            known.strikes.forgive();
            self.bring_back(provider, credential, moment.inside);
        }
        self.lift(provider, credential, by_quota, now)
    }

    fn lift(
        &mut self,
        provider: ProviderIndex,
        credential: CredentialIndex,
        which: impl Fn(Option<Class>) -> bool + Copy,
        now: Wall,
    ) -> bool {
        let now = self.begin(now);
        let known = self.providers.get_mut(provider.0 as usize);
        let Some(known) = known.filter(|known| known.get(credential).is_some()) else {
            return false;
        };
        if known.clear(credential, which) {
            self.refresh(provider, credential, now.inside);
        }
        true
    }

    /// Brings a disabled or blacklisted credential back with clean health; answers false when there is
    /// none of that number. When its row says `enabled: false`, that holds again from the next load on.
    pub fn enable(
        &mut self,
        provider: ProviderIndex,
        credential: CredentialIndex,
        now: Wall,
    ) -> bool {
        let now = self.begin(now);
        self.wake(provider, now.inside);
        let Some(known) = self.credential_mut(provider, credential) else {
            return false;
        };
        let by_hand =
            known.row.as_mut().is_some_and(|row| !std::mem::replace(&mut row.enabled, true));
        if by_hand || known.is_out() {
            self.revive(provider, credential, Strikes::NONE, now.inside);
        } else {
            self.reset(provider, credential, now.wall);
        }
        true
    }

    /// Takes in what became of a [`RefreshRequest`](crate::RefreshRequest): whether the credential has a new secret. When it has
    /// none, the refusal counts.
    pub fn refreshed(
        &mut self,
        provider: ProviderIndex,
        credential: CredentialIndex,
        has_new: bool,
        now: Wall,
    ) {
        let now = self.begin(now);
        self.wake(provider, now.inside);
        let Some(known) = self.credential_mut(provider, credential) else { return };
        let Refresh::Asked { disable, began } = known.refresh else { return };
        if has_new {
            let was_out = known.is_out();
            let is_enabled = known.row.as_ref().is_some_and(|row| row.enabled);
            known.refresh = Refresh::Done;
            known.replace_secret();
            self.refresh(provider, credential, now.inside);
            if was_out {
                self.come_or_go(provider, credential, now.inside);
                self.note_some(provider, credential, is_enabled.then_some(EventKind::Enabled));
            }
        } else {
            known.refresh = Refresh::No;
            if disable {
                self.disable(provider, credential, Class::AuthFailed, now.inside);
            } else if self.strike(provider, credential, began, now.inside) {
                self.blacklist(provider, credential, Class::AuthFailed, now.inside);
            }
        }
    }

    /// Takes in that the app's storage keeps the credential disabled, so its loader is believed again.
    pub fn confirm_disabled(&mut self, provider: ProviderIndex, credential: CredentialIndex) {
        if let Some(known) = self.credential_mut(provider, credential)
            && let Disabled::Unconfirmed { why } = known.disabled
        {
            known.disabled = Disabled::Confirmed { why };
        }
    }

    pub(super) fn request_unconfirmed(&mut self, provider: ProviderIndex) {
        let Some(known) = self.providers.get(provider.0 as usize) else {
            return;
        };
        let unconfirmed = known.credentials.iter().enumerate().filter_map(|(index, credential)| {
            let credential_gone = known.loaded && credential.row.is_none();
            match credential.disabled {
                Disabled::Unconfirmed { why } if !credential_gone => Some(DisableRequest {
                    provider,
                    credential: CredentialIndex(index as u32),
                    why,
                }),
                _ => None,
            }
        });
        for request in unconfirmed.collect::<Vec<_>>() {
            self.request_disable(request);
        }
    }

    pub(super) fn disable(
        &mut self,
        provider: ProviderIndex,
        credential: CredentialIndex,
        why: Class,
        now: Inside,
    ) {
        let Some(known) = self.credential_mut(provider, credential) else {
            return;
        };
        // A new verdict asks for a new confirmation, also of what was confirmed before.
        let before = std::mem::replace(&mut known.disabled, Disabled::Unconfirmed { why });
        if before == Disabled::No {
            self.note(provider, credential, EventKind::Disabled { class: why });
            self.come_or_go(provider, credential, now);
        }
        self.request_disable(DisableRequest { provider, credential, why });
    }

    fn request_disable(&mut self, request: DisableRequest) {
        if !self.disable_requests.contains(&request) {
            self.disable_requests.push(request);
        }
    }

    /// Makes availability follow after a credential was switched on or off. Nobody's rest is said to be
    /// over.
    pub(super) fn come_or_go(
        &mut self,
        provider: ProviderIndex,
        credential: CredentialIndex,
        now: Inside,
    ) {
        if let Some(known) = self.providers.get_mut(provider.0 as usize) {
            known.refresh(credential, now);
            known.recount(now);
        }
    }
}
