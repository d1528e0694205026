//! The leases in flight: who began what when, and which are overdue.

use crate::provider::Probed;
use crate::structures::Chain;
use crate::types::{CredentialIndex, Inside, LeaseId, Millis, ProviderIndex};

/// The right to use one credential for one attempt.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lease {
    pub(crate) provider: ProviderIndex,
    pub(crate) credential: CredentialIndex,
    /// The credential's generation when the lease began.
    pub(crate) generation: u32,
    pub(crate) began: Inside,
    /// Tells the request apart whose attempt it is.
    pub(crate) request: u64,
    /// The hash of the model that was asked for; 0 when it made no difference.
    pub(crate) model: u64,
    /// What it probes.
    pub(crate) probed: Probed,
    pub(crate) kind: LeaseKind,
}

/// What a success of the lease may prove.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum LeaseKind {
    /// That the credential works, for the time after its rest.
    Ordinary,
    /// That a credential works although it rests.
    FailOpen,
    /// That a credential works although it rests, or was proven dead.
    Probe,
}

impl Lease {
    /// Whether its success counts although it began before a rest ended.
    #[inline(always)]
    pub(crate) fn is_proof(&self) -> bool {
        self.kind != LeaseKind::Ordinary || self.probed.any()
    }
}

/// A place in the table, with the number of leases that it has held.
#[derive(Clone, Copy, Debug)]
struct Entry {
    turn: u32,
    lease: Option<Lease>,
}

/// All leases in flight, in the order in which they began.
#[derive(Clone, Debug)]
pub(crate) struct Leases {
    entries: Chain<Entry>,
}

impl Leases {
    pub(crate) const fn new() -> Self {
        Self { entries: Chain::new() }
    }

    #[inline(always)]
    pub(crate) fn begin(&mut self, lease: Lease) -> LeaseId {
        let mut turn = 0;
        let place = self.entries.push(|before| {
            turn = before.map_or(0, |entry| entry.turn.wrapping_add(1));
            Entry { turn, lease: Some(lease) }
        });
        LeaseId { place, turn }
    }

    #[inline(always)]
    pub(crate) fn get(&self, id: LeaseId) -> Option<Lease> {
        self.entries.get(id.place).filter(|entry| entry.turn == id.turn)?.lease
    }

    /// Ends a lease and answers what it was; `None` when it has ended before.
    #[inline(always)]
    pub(crate) fn end(&mut self, id: LeaseId) -> Option<Lease> {
        let entry = self.entries.get_mut(id.place).filter(|entry| entry.turn == id.turn)?;
        let lease = entry.lease.take()?;
        self.entries.remove(id.place);
        Some(lease)
    }

    /// Ends every lease. Their ids stay ended: a place's count never goes back.
    pub(crate) fn end_all(&mut self) {
        while let Some(place) = self.entries.oldest() {
            if let Some(entry) = self.entries.get_mut(place) {
                entry.lease = None;
            }
            self.entries.remove(place);
        }
    }

    /// The leases that are older than `ttl` by now, or for which there is no more room.
    #[inline(always)]
    pub(crate) fn overdue(&self, ttl: Millis, now: Inside) -> impl Iterator<Item = Lease> + '_ {
        let surplus = (self.entries.len() + 1).saturating_sub(LeaseId::PLACES as usize);
        let leases = self.entries.iter().map_while(|place| self.entries.get(place)?.lease);
        leases
            .enumerate()
            .take_while(move |&(number, lease)| number < surplus || lease.began.after(ttl) <= now)
            .map(|(_, lease)| lease)
    }

    /// The credentials that a lease is to find out about.
    pub(crate) fn probes(&self) -> impl Iterator<Item = (ProviderIndex, CredentialIndex)> + '_ {
        let leases = self.entries.iter().filter_map(|place| self.entries.get(place)?.lease);
        let probes = leases.filter(|lease| lease.kind == LeaseKind::Probe);
        probes.map(|lease| (lease.provider, lease.credential))
    }

    /// When the lease that began first ends by itself.
    pub(crate) fn next_expiry(&self, ttl: Millis) -> Option<Inside> {
        let oldest = self.entries.get(self.entries.oldest()?)?.lease?;
        Some(oldest.began.after(ttl))
    }

    /// Ends the lease that began first, if it is overdue.
    #[inline(always)]
    pub(crate) fn end_overdue(&mut self, ttl: Millis, now: Inside) -> Option<Lease> {
        self.overdue(ttl, now).next()?;
        let place = self.entries.oldest()?;
        let turn = self.entries.get(place)?.turn;
        self.end(LeaseId { place, turn })
    }
}
