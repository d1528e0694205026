//! All that must outlive the process, as versioned data without any secret.
//!
//! Leases are not in it: whoever held them is gone. Neither are rows: the loader has them. Sessions
//! are hashes.

mod read;
mod write;

use crate::affinity::Binding;
use crate::blacklist::Strikes;
use crate::cooldown::{Cooldown, Record};
use crate::credential::{Counters, Credential, Disabled};
use crate::health::{Health, ModelHealth};
use crate::provider::{Group, Provider, Providers, Tier};
use crate::rng::Rng;
use crate::select::{Member, Progress};
use crate::structures::{Bitset, IndexedHeap};
use crate::types::{Clock, CredentialIndex, Inside, Lane, Source, Wall, hash_text};

const FORMAT: &str = "keyrota";
const VERSION: u32 = 1;

/// A pool's health, order and sessions at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    pub(crate) taken_at: Wall,
    pub(crate) clock: Clock,
    pub(crate) rng: Rng,
    pub(crate) spread: Rng,
    pub(crate) seeded: bool,
    pub(crate) providers: Vec<ProviderState>,
    /// From the one unused for longest to the last one used.
    pub(crate) sessions: Vec<SessionState>,
    /// The responses that may be continued, in the same order.
    pub(crate) responses: Vec<SessionState>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ProviderState {
    pub(crate) name: String,
    credentials: Vec<CredentialState>,
    /// The quota groups of which anything counts.
    groups: Vec<NamedLanes>,
    pause: Option<LaneState>,
    tiers: Vec<TierState>,
}

#[derive(Clone, Debug, PartialEq)]
struct CredentialState {
    id: String,
    secret_version: Option<String>,
    disabled: Disabled,
    strikes: Strikes,
    counters: Counters,
    lanes: Vec<LaneState>,
    models: Vec<NamedLanes>,
}

/// What is known of a model or a quota group.
#[derive(Clone, Debug, PartialEq)]
struct NamedLanes {
    name: String,
    lanes: Vec<LaneState>,
}

/// A lane that has a window.
#[derive(Clone, Debug, PartialEq)]
struct LaneState {
    lane: Lane,
    record: Record,
    /// On the pool's clock; `None` when nothing holds the credential.
    deadline: Option<Inside>,
    /// From when on a long stated wait is probed, on the pool's clock.
    probe_at: Option<Inside>,
    source: Source,
}

#[derive(Clone, Debug, PartialEq)]
struct TierState {
    priority: i32,
    cursor: Option<i64>,
    members: Vec<MemberState>,
}

#[derive(Clone, Debug, PartialEq)]
struct MemberState {
    id: String,
    weight: u64,
    available: bool,
    progress: i64,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SessionState {
    /// A place in `providers`.
    pub(crate) provider: u32,
    pub(crate) session: u64,
    pub(crate) credential: String,
    pub(crate) lodging: Option<String>,
    pub(crate) home_used: Inside,
    pub(crate) used: Inside,
}

impl Snapshot {
    /// Writes down what the parts of a pool know.
    pub(crate) fn of<'a>(
        taken_at: Wall,
        clock: Clock,
        (rng, spread, seeded): (Rng, Rng, bool),
        providers: &Providers,
        bindings: impl Iterator<Item = &'a Binding>,
        responses: impl Iterator<Item = &'a Binding>,
    ) -> Self {
        let session = |binding: &Binding| {
            let provider = providers.get(binding.provider.0 as usize)?;
            let id_of = |credential| Some(provider.get(credential)?.id.to_string());
            Some(SessionState {
                provider: binding.provider.0,
                session: binding.session.0,
                credential: id_of(binding.credential)?,
                lodging: binding.lodging.and_then(id_of),
                home_used: binding.home_used,
                used: binding.used,
            })
        };
        Self {
            taken_at,
            clock,
            rng,
            spread,
            seeded,
            providers: providers.iter().map(ProviderState::of).collect(),
            sessions: bindings.filter_map(session).collect(),
            responses: responses.filter_map(session).collect(),
        }
    }
}

impl Provider {
    /// Forgets all that a snapshot replaces.
    pub(crate) fn forget_health(&mut self) {
        self.tiers.clear();
        self.usable = Bitset::default();
        self.cooling = IndexedHeap::new();
        self.groups.clear();
        self.pause = Cooldown::default();
        self.suspects.clear();
        self.in_flight = 0;
        for credential in &mut self.credentials {
            let fresh = Credential::new(&credential.id);
            let (row, generation) = (credential.row.take(), credential.generation.wrapping_add(1));
            let (secret_version, capacity) =
                (credential.secret_version.take(), credential.capacity);
            *credential = Credential { row, generation, secret_version, capacity, ..fresh };
        }
    }

    /// Knows what the snapshot knew.
    pub(crate) fn restore(&mut self, state: &ProviderState) {
        let has_blacklist = self.config.blacklist.is_some();
        for credential in &state.credentials {
            let index = self.intern(&credential.id);
            if let Some(known) = self.get_mut(index) {
                known.restore(credential);
                if !has_blacklist {
                    // Nobody would ever take it off the list.
                    known.strikes = Strikes::NONE;
                }
            }
        }
        let group = |state: &NamedLanes| Group {
            name: state.name.as_str().into(),
            health: Health::restored(&state.lanes),
        };
        self.groups = state.groups.iter().map(group).collect();
        self.pause = state.pause.as_ref().map_or_else(Cooldown::default, LaneState::cooldown);
        self.tiers = state.tiers.iter().map(|tier| self.restored_tier(tier)).collect();
    }

    fn restored_tier(&mut self, state: &TierState) -> Tier {
        let members: Vec<CredentialIndex> =
            state.members.iter().map(|member| self.intern(&member.id)).collect();
        let seat = |member: &MemberState| Member {
            weight: member.weight,
            hash: hash_text(member.id.as_bytes()),
        };
        let seats = state.members.iter().map(seat).collect();
        let mut tier = Tier::new(state.priority, members, seats, self.config.strategy);
        for (place, member) in state.members.iter().enumerate() {
            tier.selector.set_available(&mut tier.lineup, place, member.available);
        }
        let places = state.members.iter().map(|member| member.progress).collect();
        tier.selector.strategy_mut().resume(&Progress { cursor: state.cursor, places });
        tier
    }
}

impl Credential {
    fn restore(&mut self, state: &CredentialState) {
        self.secret_version = state.secret_version.as_deref().map(Into::into);
        self.disabled = state.disabled;
        self.strikes = state.strikes;
        self.counters = state.counters;
        self.subject.whole = Health::restored(&state.lanes);
        let model = |state: &NamedLanes| ModelHealth {
            hash: hash_text(state.name.as_bytes()),
            name: state.name.as_str().into(),
            health: Health::restored(&state.lanes),
        };
        self.subject.models = state.models.iter().map(model).collect();
        // A row that is loaded already is read again, as it would be if it came now.
        if let Some(row) = self.row.take() {
            self.adopt(row);
        }
    }
}

impl Health {
    /// What the snapshot knew of a subject.
    fn restored(lanes: &[LaneState]) -> Self {
        let mut health = Self::default();
        for state in lanes {
            *health.lane_mut(state.lane) = state.cooldown();
        }
        health
    }
}

impl LaneState {
    /// The lanes that have a window.
    fn of_all(health: &Health) -> Vec<Self> {
        Lane::ALL.iter().filter_map(|&lane| Self::of(lane, health.lane(lane))).collect()
    }

    fn of(lane: Lane, cooldown: &Cooldown) -> Option<Self> {
        (cooldown.record().window > 0).then(|| Self {
            lane,
            record: *cooldown.record(),
            deadline: known(cooldown.deadline()),
            probe_at: known(cooldown.probe_at()),
            source: cooldown.source().clone(),
        })
    }

    fn cooldown(&self) -> Cooldown {
        let deadline = self.deadline.unwrap_or(Inside::MIN);
        let probe_at = self.probe_at.unwrap_or(Inside::MAX);
        Cooldown::restored(self.record, deadline, probe_at, self.source.clone())
    }
}

/// A moment, unless it stands for before or after all others.
fn known(moment: Inside) -> Option<Inside> {
    (moment != Inside::MIN && moment != Inside::MAX).then_some(moment)
}

impl NamedLanes {
    /// `None` when there is nothing to remember.
    fn of(name: &str, health: &Health) -> Option<Self> {
        let lanes = LaneState::of_all(health);
        (!lanes.is_empty()).then(|| Self { name: name.to_owned(), lanes })
    }
}

impl ProviderState {
    fn of(provider: &Provider) -> Self {
        Self {
            name: provider.name.to_string(),
            credentials: provider.remembered().map(CredentialState::of).collect(),
            groups: {
                let groups = provider.groups.iter();
                groups.filter_map(|group| NamedLanes::of(&group.name, &group.health)).collect()
            },
            pause: LaneState::of(Lane::Overload, &provider.pause),
            tiers: provider.tiers.iter().map(|tier| TierState::of(tier, provider)).collect(),
        }
    }
}

impl CredentialState {
    fn of(credential: &Credential) -> Self {
        let models = credential.subject.models.iter();
        let models = models.filter_map(|known| NamedLanes::of(&known.name, &known.health));
        Self {
            id: credential.id.to_string(),
            secret_version: credential.secret_version.as_deref().map(str::to_owned),
            disabled: credential.disabled,
            strikes: credential.strikes,
            counters: credential.counters,
            lanes: LaneState::of_all(&credential.subject.whole),
            models: models.collect(),
        }
    }
}

impl TierState {
    fn of(tier: &Tier, provider: &Provider) -> Self {
        let Progress { cursor, places } = tier.selector.strategy().save();
        let members = tier.members.iter().zip(tier.lineup.members()).enumerate();
        let states = members.filter_map(|(place, (&index, member))| {
            Some(MemberState {
                id: provider.get(index)?.id.to_string(),
                weight: member.weight,
                available: tier.lineup.available().contains(place),
                progress: places.get(place).copied().unwrap_or(0),
            })
        });
        Self { priority: tier.priority, cursor, members: states.collect() }
    }
}
