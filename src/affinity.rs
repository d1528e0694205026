//! Which credential a session was on, for a bounded number of sessions.
//!
//! An exact LRU: the sessions form one chain in the order of their last use, and the one unused for
//! longest leaves when the capacity is reached. Session ids are kept as 64-bit hashes, so memory is
//! bounded by the capacity alone, whatever the callers send. A binding is per provider and session; a
//! router, which chooses among many providers, has one for all of them, and its places name both.

use crate::structures::{Chain, Table};
use crate::types::{CredentialIndex, Inside, Millis, ProviderIndex, SessionHash, mix};

/// How sessions stay on their credentials.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct AffinityConfig {
    /// How many sessions are remembered; the one unused for longest leaves first. Default 10,000.
    pub capacity: usize,
    /// How long after its last use a session is forgotten; `None`, the default: never by time.
    pub ttl: Option<Millis>,
}

impl Default for AffinityConfig {
    fn default() -> Self {
        Self { capacity: 10_000, ttl: None }
    }
}

/// One session's place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Binding<P = CredentialIndex> {
    pub(crate) provider: ProviderIndex,
    pub(crate) session: SessionHash,
    /// Its home, where the provider's prompt cache is warm.
    pub(crate) credential: P,
    /// Where it stays while its home rests.
    pub(crate) lodging: Option<P>,
    /// When the session last got its home.
    pub(crate) home_used: Inside,
    /// The beginning of its last attempt.
    pub(crate) used: Inside,
    /// Counts all uses, to tell which of two in the same millisecond came later.
    turn: u32,
}

impl<P: Copy + Eq> Binding<P> {
    /// The credential that the session got last.
    pub(crate) fn place(&self) -> P {
        self.lodging.unwrap_or(self.credential)
    }
}

/// The sessions of one pool.
#[derive(Clone, Debug)]
pub(crate) struct Affinity<P = CredentialIndex> {
    config: AffinityConfig,
    bindings: Chain<Binding<P>>,
    index: Table,
    turns: u32,
}

impl<P: Copy + Eq> Affinity<P> {
    pub(crate) fn new(config: AffinityConfig) -> Self {
        Self { config, bindings: Chain::new(), index: Table::new(), turns: 0 }
    }

    /// Goes on from where sessions were under other settings.
    pub(crate) fn resume(&mut self, before: Self) {
        *self = Self { config: self.config, ..before };
        while self.bindings.len() > self.config.capacity {
            self.remove_oldest();
        }
    }

    /// The session's binding, unless its time is over.
    pub(crate) fn get(
        &self,
        provider: ProviderIndex,
        session: SessionHash,
        now: Inside,
    ) -> Option<&Binding<P>> {
        self.get_with_place(provider, session, now).map(|(_, binding)| binding)
    }

    /// As [`get`](Self::get), with the place that [`renew`](Self::renew) takes.
    #[inline(always)]
    pub(crate) fn get_with_place(
        &self,
        provider: ProviderIndex,
        session: SessionHash,
        now: Inside,
    ) -> Option<(u32, &Binding<P>)> {
        let place = self.find(provider, session)?;
        let binding = self.bindings.get(place).filter(|binding| !self.is_over(binding, now))?;
        Some((place, binding))
    }

    /// The binding that the session used last, in whichever provider.
    pub(crate) fn last_used(
        &self,
        session: SessionHash,
        providers: u32,
        now: Inside,
    ) -> Option<&Binding<P>> {
        (0..providers)
            .filter_map(|provider| self.get(ProviderIndex(provider), session, now))
            .max_by_key(|binding| self.turns.wrapping_sub(binding.turn) ^ u32::MAX)
    }

    /// Puts the session on a credential and makes it the last one used.
    pub(crate) fn bind(
        &mut self,
        provider: ProviderIndex,
        session: SessionHash,
        credential: P,
        now: Inside,
    ) {
        if self.config.capacity == 0 {
            return;
        }
        if let Some(place) = self.find(provider, session) {
            return self.renew(place, credential, now);
        }
        self.turns = self.turns.wrapping_add(1);
        let turn = self.turns;
        let (lodging, home_used, used) = (None, now, now);
        let binding = Binding { provider, session, credential, lodging, home_used, used, turn };
        if self.bindings.len() >= self.config.capacity {
            self.remove_oldest();
        }
        let place = self.bindings.push(|_| binding);
        let Self { bindings, index, .. } = self;
        index.insert(hash(provider, session), place, |place| hash_at(bindings, place));
    }

    /// Puts a session where a snapshot had it.
    pub(crate) fn restore(
        &mut self,
        provider: ProviderIndex,
        session: SessionHash,
        credential: P,
        lodging: Option<P>,
        (home_used, used): (Inside, Inside),
    ) {
        self.bind(provider, session, credential, used);
        let place = self.find(provider, session);
        if let Some(binding) = place.and_then(|place| self.bindings.get_mut(place)) {
            *binding = Binding { lodging, home_used, ..*binding };
        }
    }

    /// Puts the session at that place on a credential and makes it the last one used.
    #[inline(always)]
    pub(crate) fn renew(&mut self, place: u32, credential: P, now: Inside) {
        self.turns = self.turns.wrapping_add(1);
        if let Some(binding) = self.bindings.get_mut(place) {
            let (lodging, turn) = (None, self.turns);
            let (home_used, used) = (now, now);
            *binding = Binding { credential, lodging, home_used, used, turn, ..*binding };
        }
        self.bindings.renew(place);
    }

    /// Makes the session at that place the last one used, and leaves it where it is.
    pub(crate) fn touch(&mut self, place: u32, now: Inside) {
        self.turns = self.turns.wrapping_add(1);
        if let Some(binding) = self.bindings.get_mut(place) {
            (binding.used, binding.turn) = (now, self.turns);
        }
        self.bindings.renew(place);
    }

    /// Puts the session at that place up elsewhere, until its home is back.
    pub(crate) fn lodge(&mut self, place: u32, lodging: P, now: Inside) {
        self.turns = self.turns.wrapping_add(1);
        if let Some(binding) = self.bindings.get_mut(place) {
            let (lodging, turn) = (Some(lodging), self.turns);
            *binding = Binding { lodging, used: now, turn, ..*binding };
        }
        self.bindings.renew(place);
    }

    /// Forgets the session in that provider; answers whether it was known.
    pub(crate) fn release(&mut self, provider: ProviderIndex, session: SessionHash) -> bool {
        let Self { bindings, index, .. } = self;
        let removed = index.remove(
            hash(provider, session),
            |place| is_of(bindings, place, provider, session),
            |place| hash_at(bindings, place),
        );
        let Some(place) = removed else { return false };
        bindings.remove(place);
        true
    }

    /// Forgets every session that was on the credential, and who lodged there.
    pub(crate) fn release_credential(&mut self, provider: ProviderIndex, credential: P) {
        let on_it: Vec<SessionHash> = self
            .iter()
            .filter(|binding| binding.provider == provider && binding.credential == credential)
            .map(|binding| binding.session)
            .collect();
        for session in on_it {
            self.release(provider, session);
        }
        let lodgers: Vec<SessionHash> = self
            .iter()
            .filter(|known| known.provider == provider && known.lodging == Some(credential))
            .map(|binding| binding.session)
            .collect();
        for session in lodgers {
            let place = self.find(provider, session);
            if let Some(binding) = place.and_then(|place| self.bindings.get_mut(place)) {
                binding.lodging = None;
            }
        }
    }

    /// Forgets the sessions whose time is over.
    pub(crate) fn expire(&mut self, now: Inside) {
        while let Some(place) = self.bindings.oldest()
            && self.bindings.get(place).is_some_and(|binding| self.is_over(binding, now))
        {
            self.remove_oldest();
        }
    }

    /// The bindings from the one unused for longest to the last one used.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Binding<P>> + '_ {
        self.bindings.iter().filter_map(|place| self.bindings.get(place))
    }

    pub(crate) const fn len(&self) -> usize {
        self.bindings.len()
    }

    #[inline(always)]
    fn is_over(&self, binding: &Binding<P>, now: Inside) -> bool {
        self.config.ttl.is_some_and(|ttl| binding.used.after(ttl) <= now)
    }

    fn remove_oldest(&mut self) {
        let oldest = self.bindings.oldest().and_then(|place| self.bindings.get(place)).copied();
        if let Some(Binding { provider, session, .. }) = oldest {
            self.release(provider, session);
        }
    }

    #[inline(always)]
    fn find(&self, provider: ProviderIndex, session: SessionHash) -> Option<u32> {
        let is_it = |place| is_of(&self.bindings, place, provider, session);
        self.index.find(hash(provider, session), is_it)
    }
}

#[inline(always)]
const fn hash(provider: ProviderIndex, session: SessionHash) -> u64 {
    mix(session.0.wrapping_add(provider.0 as u64))
}

fn hash_at<P: Copy + Eq>(bindings: &Chain<Binding<P>>, place: u32) -> u64 {
    bindings.get(place).map_or(0, |binding| hash(binding.provider, binding.session))
}

#[inline(always)]
fn is_of<P: Copy + Eq>(
    bindings: &Chain<Binding<P>>,
    place: u32,
    provider: ProviderIndex,
    session: SessionHash,
) -> bool {
    bindings.get(place).is_some_and(|b| b.session == session && b.provider == provider)
}

#[cfg(test)]
mod tests {
    use super::{Affinity, AffinityConfig};
    use crate::rng::Rng;
    use crate::types::{CredentialIndex, Inside, Millis, ProviderIndex, SessionHash};

    #[test]
    fn agrees_with_a_list_kept_in_the_order_of_use() {
        let config = AffinityConfig { capacity: 100, ttl: Some(Millis(500)) };
        let mut affinity: Affinity = Affinity::new(config);
        let mut rng = Rng::from_seed(3);
        let mut list: Vec<(u32, u64, u32, i64)> = Vec::new(); // the last one used comes last
        for now in 0..50_000 {
            let (provider, session) = (rng.below(2) as u32, rng.below(120));
            let (p, s) = (ProviderIndex(provider), SessionHash(session));
            let known = list.iter().position(|e| e.0 == provider && e.1 == session);
            let alive = known.filter(|&at| list[at].3 + 500 > now);
            assert_eq!(
                affinity.get(p, s, Inside(now)).map(|binding| binding.credential.0),
                alive.map(|at| list[at].2),
                "at {now}"
            );
            match rng.below(8) {
                0 => {
                    assert_eq!(affinity.release(p, s), known.is_some());
                    list.retain(|e| (e.0, e.1) != (provider, session));
                }
                1 => {
                    affinity.expire(Inside(now));
                    list.retain(|e| e.3 + 500 > now);
                }
                _ => {
                    let credential = rng.below(9) as u32;
                    affinity.bind(p, s, CredentialIndex(credential), Inside(now));
                    list.retain(|e| (e.0, e.1) != (provider, session));
                    list.push((provider, session, credential, now));
                    if list.len() > 100 {
                        list.remove(0);
                    }
                }
            }
            assert_eq!(affinity.len(), list.len(), "at {now}");
        }
    }
}
