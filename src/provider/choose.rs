//! Who serves a request: the session's credential, the strategy's choice, or a last resort.

use super::{Ask, Provider, Tier};
use crate::error::Refusal;
use crate::rng::Rng;
use crate::select::Draw;
use crate::types::{CredentialIndex, Inside, Millis};

/// Who serves.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Choice {
    pub(crate) credential: CredentialIndex,
    /// Whether it serves although it is held out, because nobody else can.
    pub(crate) fails_open: bool,
}

impl Provider {
    /// The choice itself: the first of `preferred` that the serving tier allows, else the strategy's;
    /// when nobody can serve, whoever waits only for a probe to end; and when that is nobody either, and
    /// the settings say so, the one who recovers first. Nobody serves beyond a cap.
    pub(crate) fn choose(
        &mut self,
        ask: &Ask<'_>,
        preferred: [Option<CredentialIndex>; 2],
        rng: &mut Rng,
    ) -> Result<Choice, Refusal> {
        if !self.loaded {
            return Err(Refusal::NotLoaded);
        }
        let is_paused = self.pause_hold(ask.now).is_some();
        let fails_open = is_paused && self.config.fail_open;
        if !is_paused || fails_open {
            let chosen = self.choose_freely(ask, preferred, rng);
            if let Some(credential) = chosen.or_else(|| self.waits_for_probe(ask)) {
                return Ok(Choice { credential, fails_open });
            }
        }
        if self.config.fail_open
            && let Some(credential) = self.recovers_first(ask)
        {
            self.charge(credential);
            return Ok(Choice { credential, fails_open: true });
        }
        let at_capacity = self.is_short_of_room(ask);
        Err(Refusal::NoneAvailable { retry_after: self.retry_after(ask, at_capacity), at_capacity })
    }

    #[inline(always)]
    fn choose_freely(
        &mut self,
        ask: &Ask<'_>,
        preferred: [Option<CredentialIndex>; 2],
        rng: &mut Rng,
    ) -> Option<CredentialIndex> {
        let tier = self.serving_tier(ask)?;
        for credential in preferred {
            let Some(credential) = credential else { continue };
            if self.can_serve(credential, tier, ask) {
                self.charge(credential);
                return Some(credential);
            }
        }
        self.select(tier, ask, rng)
    }

    /// Among those whose window has ended and whose probe is under way, the one with the fewest leases,
    /// from the highest priority.
    #[inline(never)]
    fn waits_for_probe(&mut self, ask: &Ask<'_>) -> Option<CredentialIndex> {
        let waiting = self.contenders(ask).filter(|&index| !self.is_held_firmly(index, ask));
        let chosen = waiting.min_by_key(|&index| {
            let known = self.get(index);
            let rank = self.rank(index, ask);
            known.map(|known| (rank.map(|(tier, _)| tier), known.in_flight, rank))
        })?;
        self.charge(chosen);
        Some(chosen)
    }

    /// The one whose windows end first; of equals, the one that the request would come to first.
    #[inline(never)]
    fn recovers_first(&self, ask: &Ask<'_>) -> Option<CredentialIndex> {
        self.contenders(ask).min_by_key(|&index| {
            (self.recovers_at(index, ask.model_hash, ask.now), self.rank(index, ask))
        })
    }

    /// Those whom nothing but time keeps from the request.
    fn contenders<'a>(&'a self, ask: &'a Ask<'_>) -> impl Iterator<Item = CredentialIndex> + 'a {
        self.comers(ask).filter(|&index| self.has_room(index))
    }

    /// Those whom nothing but time or a cap keeps from the request.
    pub(super) fn comers<'a>(
        &'a self,
        ask: &'a Ask<'_>,
    ) -> impl Iterator<Item = CredentialIndex> + 'a {
        self.listed.iter().copied().filter(|&index| {
            self.fits(index, ask) && self.get(index).is_some_and(|known| known.is_on())
        })
    }

    /// The highest tier that has a candidate for the request; there is none until the rows are loaded.
    /// A request that has failed in a tier goes on below it; if nobody is there, in that tier; and never
    /// above it.
    pub(crate) fn serving_tier(&self, ask: &Ask<'_>) -> Option<usize> {
        if !self.loaded || self.is_full() {
            return None;
        }
        let Some(floor) = ask.floor else {
            return self.usable_tier(ask, 0);
        };
        let below = self.tiers.partition_point(|tier| tier.priority >= floor);
        self.usable_tier(ask, below).or_else(|| self.usable_tier(ask, below.checked_sub(1)?))
    }

    /// The first tier that has a candidate for the request, among `from` and those below.
    #[inline(always)]
    fn usable_tier(&self, ask: &Ask<'_>, from: usize) -> Option<usize> {
        let mut tier = self.usable.next(from)?;
        while ask.filters() && self.next_candidate(tier, ask, 0).is_none() {
            tier = self.usable.next(tier + 1)?;
        }
        Some(tier)
    }

    /// The places of a tier that are available and pass the request's filters.
    pub(crate) fn candidates(&self, tier: usize, ask: &Ask<'_>) -> Vec<usize> {
        let mut places = Vec::new();
        while let Some(place) =
            self.next_candidate(tier, ask, places.last().map_or(0, |last| last + 1))
        {
            places.push(place);
        }
        places
    }

    /// The first of those places that is `from` or behind it.
    fn next_candidate(&self, tier: usize, ask: &Ask<'_>, from: usize) -> Option<usize> {
        let Tier { members, lineup, .. } = self.tiers.get(tier)?;
        let mut place = lineup.available().next(from)?;
        while !self.passes(*members.get(place)?, ask) {
            place = lineup.available().next(place + 1)?;
        }
        Some(place)
    }

    /// Whether the request could be the credential's at any time.
    pub(crate) fn fits(&self, credential: CredentialIndex, ask: &Ask<'_>) -> bool {
        !ask.tried.contains(&credential)
            && ask.only.is_none_or(|only| only == credential)
            && !self.is_above(credential, ask)
            && self.get(credential).is_some_and(|known| known.serves(ask.model))
    }

    /// Whether the request has come down below the credential's tier.
    pub(crate) fn is_above(&self, credential: CredentialIndex, ask: &Ask<'_>) -> bool {
        let own = || self.get(credential)?.row.as_ref().map(|row| row.priority);
        ask.floor.is_some_and(|floor| own().is_some_and(|own| own > floor))
    }

    /// Where the credential stands among those that the request may come to: tiers below the one where it
    /// failed come before that one.
    fn rank(&self, credential: CredentialIndex, ask: &Ask<'_>) -> Option<((bool, usize), usize)> {
        let (tier, place) = self.get(credential)?.seat?;
        let priority = self.tiers.get(tier)?.priority;
        Some(((ask.floor == Some(priority), tier), place))
    }

    /// Whether the request's filters let the credential through now.
    fn passes(&self, credential: CredentialIndex, ask: &Ask<'_>) -> bool {
        self.fits(credential, ask) && self.model_held(credential, ask.model_hash, ask.now).is_none()
    }

    /// Lets the strategy choose within a tier, and counts the choice.
    #[inline(always)]
    pub(crate) fn select(
        &mut self,
        tier: usize,
        ask: &Ask<'_>,
        rng: &mut Rng,
    ) -> Option<CredentialIndex> {
        let draw = Draw { session: ask.session, rng };
        if ask.filters() {
            return self.select_among(tier, ask, draw);
        }
        let Tier { members, lineup, selector, .. } = self.tiers.get_mut(tier)?;
        let place = selector.strategy_mut().pick(lineup, draw)?;
        members.get(place).copied()
    }

    #[inline(never)]
    fn select_among(
        &mut self,
        tier: usize,
        ask: &Ask<'_>,
        draw: Draw<'_>,
    ) -> Option<CredentialIndex> {
        let eligible = self.candidates(tier, ask);
        let Tier { members, lineup, selector, .. } = self.tiers.get_mut(tier)?;
        let place = selector.strategy_mut().pick_among(lineup, &eligible, draw)?;
        members.get(place).copied()
    }

    /// Whether the credential is available in that tier and passes the request's filters.
    #[inline(always)]
    pub(crate) fn can_serve(
        &self,
        credential: CredentialIndex,
        tier: usize,
        ask: &Ask<'_>,
    ) -> bool {
        let seat = self.get(credential).and_then(|known| known.seat);
        seat.is_some_and(|(its_tier, place)| {
            its_tier == tier
                && self.tiers.get(tier).is_some_and(|t| t.lineup.available().contains(place))
                && (!ask.filters() || self.passes(credential, ask))
        })
    }

    /// Counts a choice that the strategy did not make.
    #[inline(always)]
    pub(crate) fn charge(&mut self, credential: CredentialIndex) {
        if let Some((tier, place)) = self.seat(credential) {
            tier.selector.strategy_mut().charge(place, &tier.lineup);
        }
    }

    /// Counts a lease that begins; answers the credential's generation.
    #[inline(always)]
    pub(crate) fn launch(&mut self, credential: CredentialIndex) -> u32 {
        let Some(known) = self.get_mut(credential) else { return 0 };
        known.in_flight += 1;
        let (generation, is_full) = (known.generation, !known.has_room());
        self.in_flight += 1;
        self.tell_in_flight(credential);
        if is_full {
            self.mark(credential, false);
        }
        generation
    }

    /// Counts a lease that ended.
    #[inline(always)]
    pub(crate) fn land(&mut self, credential: CredentialIndex) {
        if let Some(known) = self.get_mut(credential) {
            let was_full = !known.has_room();
            known.in_flight = known.in_flight.saturating_sub(1);
            self.in_flight = self.in_flight.saturating_sub(1);
            self.tell_in_flight(credential);
            if was_full {
                self.make_room(credential);
            }
        }
    }

    /// Tells the strategy of the leases in flight, if it looks at them.
    #[inline(always)]
    pub(super) fn tell_in_flight(&mut self, credential: CredentialIndex) {
        if !self.config.strategy.counts_leases() {
            return;
        }
        let leases = self.get(credential).map_or(0, |known| known.in_flight);
        if let Some((tier, place)) = self.seat(credential) {
            tier.selector.strategy_mut().in_flight(place, leases);
        }
    }

    /// How long until a candidate for the request is back, if all that is needed is time. Who only lacks
    /// room is not coming back by time.
    #[inline(never)]
    fn retry_after(&self, ask: &Ask<'_>, at_capacity: bool) -> Option<Millis> {
        let pause = self.pause_hold(ask.now).map(|hold| hold.until);
        // Whoever only waits for a probe could go now, were it not for the pause.
        let free_at = |index| {
            if self.is_held_firmly(index, ask) { self.free_at(index, ask) } else { ask.now }
        };
        let first = if ask.filters() || pause.is_some() || at_capacity {
            let back = self.comers(ask).map(free_at);
            back.filter(|&until| pause.is_some() || until > ask.now).min()
        } else {
            self.cooling.first().map(|(until, _)| until)
        };
        first.map(|until| until.max(pause.unwrap_or(Inside::MIN)).wait_from(ask.now))
    }

    #[inline(always)]
    fn seat(&mut self, credential: CredentialIndex) -> Option<(&mut Tier, usize)> {
        let (tier, place) = self.get(credential)?.seat?;
        Some((self.tiers.get_mut(tier)?, place))
    }
}
