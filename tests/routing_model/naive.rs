//! The naive router: lists, and a walk over all of them for each request.

use std::collections::BTreeMap;

use keyrota::{
    Address, AffinityConfig, Continuations, CredentialIndex, Explanation, Group, Plan, Pool,
    ProviderIndex, Reason, Request, RouteConfig, RouteRefusal, RouteRequest, Row, SessionHash,
    Strategy, Wall, hash_text,
};

use crate::remembered::Remembered;

/// A group as a candidate: its place in the settings, and who of it could serve.
#[derive(Clone, Debug)]
pub struct Standing {
    pub group: usize,
    pub weight: u64,
    pub usable: Vec<CredentialIndex>,
}

/// Whom the request may get.
#[derive(Debug)]
pub struct Choice {
    /// Groups with who of each may be chosen; one of each where the model knows exactly.
    pub among: Vec<(usize, Vec<CredentialIndex>)>,
    pub how: How,
    /// The candidates of the request, by priority and place.
    pub field: Vec<Standing>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum How {
    Continuation,
    Affinity,
    Strategy,
    LastResort,
}

/// How far the strategy among the groups of one tier has come.
#[derive(Clone, Default)]
struct Turns {
    /// weighted-round-robin: picks among two and more.
    slot: Option<u64>,
    /// least-busy: what each group was served, in picks divided by its weight; and where one starts
    /// that comes back.
    served: BTreeMap<usize, u64>,
    floor: u64,
    weights: BTreeMap<usize, u64>,
}

/// The candidates of a request, with the model where it makes a difference.
type FieldKey = (Vec<usize>, Option<String>);

pub struct Naive {
    pub config: RouteConfig,
    pub responses_kept: AffinityConfig,
    pub rows: Vec<Vec<Row>>,
    pub sessions: Remembered,
    pub responses: Remembered,
    turns: BTreeMap<(FieldKey, i32), Turns>,
}

/// Whether the request has not failed there, and the priority.
type Rank = (bool, i32);

/// A pick advances its group by one over its weight, in whole numbers of this part.
const PICK: u64 = 1 << 20;

impl Naive {
    pub fn new(config: RouteConfig, responses_kept: AffinityConfig, rows: Vec<Vec<Row>>) -> Self {
        Self {
            config,
            responses_kept,
            rows,
            sessions: Remembered::default(),
            responses: Remembered::default(),
            turns: BTreeMap::new(),
        }
    }

    pub fn reload(&mut self, config: RouteConfig) {
        self.sessions.fit(&config.affinity);
        self.turns.clear();
        self.config = config;
    }

    /// Why the access key may not ask for that.
    pub fn denied(&self, request: &RouteRequest<'_>, plan: &Plan, now: Wall) -> Option<Reason> {
        let Some(key) = self.config.access_keys.get(request.access_key) else {
            return Some(Reason::AccessKeyUnknown);
        };
        let lacks_protocol =
            key.protocols.as_ref().is_some_and(|list| !list.contains(&request.protocol));
        let lacks_model = match (&key.models, request.model) {
            (Some(list), Some(model)) => list.iter().all(|listed| &**listed != model),
            _ => false,
        };
        let is_foreign = self.config.continuations == Continuations::Own
            && plan.bound().is_none()
            && request.continues.is_some_and(|response| {
                self.responses.get(response, &self.responses_kept, now.0).is_none()
            });
        let checks = [
            (!key.enabled, Reason::AccessKeyDisabled),
            (key.expires_at.is_some_and(|end| now.0 >= end.0), Reason::AccessKeyExpired),
            (lacks_protocol, Reason::ProtocolNotAllowed),
            (lacks_model, Reason::ModelNotAllowed),
            (is_foreign, Reason::ContinuationUnknown),
        ];
        checks.into_iter().find(|check| check.0).map(|check| check.1)
    }

    /// Why the group is no candidate: how close it comes, and the reason.
    pub fn excluded(&self, group: &Group, request: &RouteRequest<'_>) -> Option<(u8, Reason)> {
        let key = self.config.access_keys.get(request.access_key);
        let is_granted = key.is_some_and(|key| {
            key.groups.as_ref().is_none_or(|granted| granted.contains(&group.provider))
        });
        let exposes = request.model.is_none_or(|model| upstream(group, model).is_some());
        let checks = [
            (is_granted, 1, Reason::GroupNotAllowed),
            (group.enabled, 2, Reason::GroupDisabled),
            (exposes, 3, Reason::ModelNotExposed),
            (group.protocols.contains(&request.protocol), 4, Reason::ConversionRequired),
        ];
        checks.into_iter().find(|check| !check.0).map(|check| (check.1, check.2))
    }

    /// Who of a group could serve the request now: those of its highest priority that has anyone.
    pub fn standing(
        &self,
        pool: &Pool,
        at: usize,
        (request, plan): (&RouteRequest<'_>, &Plan),
        now: Wall,
    ) -> Standing {
        let group = &self.config.groups[at];
        let model = request.model.and_then(|model| upstream(group, model));
        let floor = plan.floor(group.provider);
        let mut best: Option<(Rank, Vec<(CredentialIndex, u64)>)> = None;
        for status in pool.status(group.provider, now) {
            let (_, index) = pool.find(&status.id).expect("it has a row");
            let rows = &self.rows[group.provider.0 as usize];
            let row = rows.iter().find(|row| *row.id == *status.id).expect("a row");
            let lists = model.is_none_or(|model| {
                row.models.as_ref().is_none_or(|list| list.iter().any(|known| &**known == model))
            });
            let rests = status.models.iter().any(|rest| Some(&*rest.model) == model);
            let is_above = floor.is_some_and(|floor| row.priority > floor);
            let is_tried = plan.tried(group.provider).contains(&index);
            if status.state != Reason::Available || !lists || rests || is_above || is_tried {
                continue;
            }
            // Where the request failed comes after what is below.
            let rank = (Some(row.priority) != floor, row.priority);
            let one = (index, row.weight.shares());
            match &mut best {
                Some((known, those)) if *known == rank => those.push(one),
                Some((known, _)) if *known > rank => {}
                _ => best = Some((rank, vec![one])),
            }
        }
        let those = best.filter(|_| pool.is_loaded(group.provider)).map_or(Vec::new(), |it| it.1);
        Standing {
            group: at,
            weight: group.weight.shares() * those.iter().map(|one| one.1).sum::<u64>(),
            usable: those.into_iter().map(|one| one.0).collect(),
        }
    }

    /// The only credential that can serve the request.
    pub fn made_by(
        &self,
        pool: &Pool,
        request: &RouteRequest<'_>,
        plan: &Plan,
        now: Wall,
    ) -> Option<Address> {
        if let Some((provider, credential)) = plan.bound() {
            return Some(Address { provider, credential });
        }
        let known = self.responses.get(request.continues?, &self.responses_kept, now.0)?;
        let id = pool.credential_id(known.provider, known.credential)?;
        let rows = &self.rows[known.provider.0 as usize];
        rows.iter().any(|row| *row.id == *id).then_some(known)
    }

    /// Where the session is.
    pub fn seen(&self, request: &RouteRequest<'_>, now: Wall) -> Option<Address> {
        let session = request.session.filter(|_| self.config.strategy != Strategy::Rendezvous)?;
        self.sessions.get(session, &self.config.affinity, now.0)
    }

    /// What a provider alone would do with the request.
    pub fn alone(
        &self,
        pool: &Pool,
        group: usize,
        (request, plan): (&RouteRequest<'_>, &Plan),
        only: Option<CredentialIndex>,
        now: Wall,
    ) -> Explanation {
        let group = &self.config.groups[group];
        let asked = Request {
            session: request.session,
            model: request.model.and_then(|model| upstream(group, model)),
            tried: plan.tried(group.provider),
            floor: plan.floor(group.provider),
            only,
            ..Request::default()
        };
        pool.explain(group.provider, &asked, now)
    }

    /// Whom the request may get, or why nobody. `in_flight` are the leases of each provider.
    pub fn choose(
        &mut self,
        pool: &Pool,
        (request, plan): (&RouteRequest<'_>, &Plan),
        in_flight: &[u64],
        now: Wall,
    ) -> Result<Choice, RouteRefusal> {
        if let Some(reason) = self.denied(request, plan, now) {
            return Err(RouteRefusal::Denied(reason));
        }
        let groups = &self.config.groups;
        let excluded: Vec<_> = groups.iter().map(|group| self.excluded(group, request)).collect();
        let members: Vec<usize> = (0..groups.len()).filter(|&at| excluded[at].is_none()).collect();
        if members.is_empty() {
            let closest = excluded.into_iter().flatten().max_by_key(|it| it.0);
            let reason = closest.map_or(Reason::GroupNotAllowed, |it| it.1);
            return Err(RouteRefusal::NoGroup(reason));
        }
        let asked = (request, plan);
        let all = members.iter().map(|&at| self.standing(pool, at, asked, now));
        let mut field: Vec<Standing> = all.collect();
        field.sort_by_key(|one| (-i64::from(groups[one.group].priority), one.group));
        let minds = members.iter().any(|&at| pool.minds_models(groups[at].provider));
        let key = (members, request.model.filter(|_| minds).map(str::to_owned));
        self.attend(&key, &field);

        if let Some(address) = self.made_by(pool, request, plan, now) {
            return self.continued(pool, asked, (address, &key), field, now);
        }
        let Some(tier) = self.serving(&field, plan.group_floor()) else {
            return self.last_resort(pool, asked, field, now);
        };
        let usable: Vec<Standing> = field
            .iter()
            .filter(|one| self.config.groups[one.group].priority == tier && one.weight > 0)
            .cloned()
            .collect();
        if let Some(seen) = self.seen(request, now)
            && let Some(home) = usable.iter().find(|one| {
                self.config.groups[one.group].provider == seen.provider
                    && one.usable.contains(&seen.credential)
            })
        {
            let (group, weight) = (home.group, home.weight);
            self.turns.entry((key, tier)).or_default().charge(group, weight);
            let among = vec![(group, vec![seen.credential])];
            return Ok(Choice { among, how: How::Affinity, field });
        }
        let groups = self.pick((&key, tier), &usable, request.session, in_flight);
        let among = groups.into_iter().map(|group| {
            let one = usable.iter().find(|one| one.group == group).expect("it is usable");
            let draws = self.config.strategy.draws() && request.session.is_none()
                || self.config.strategy == Strategy::WeightedRandom;
            let own = if draws { None } else { self.alone(pool, group, asked, None, now).choice };
            let own = own.and_then(|id| pool.find(&id)).map(|found| vec![found.1]);
            (group, own.unwrap_or_else(|| one.usable.clone()))
        });
        Ok(Choice { among: among.collect(), how: How::Strategy, field })
    }

    /// The highest priority with a usable group; below the floor first, then at it, never above.
    fn serving(&self, field: &[Standing], floor: Option<i32>) -> Option<i32> {
        let usable = field.iter().filter(|one| one.weight > 0);
        let usable: Vec<i32> = usable.map(|one| self.config.groups[one.group].priority).collect();
        let Some(floor) = floor else { return usable.into_iter().max() };
        let below = usable.iter().copied().filter(|&priority| priority < floor).max();
        below.or_else(|| usable.contains(&floor).then_some(floor))
    }

    fn continued(
        &mut self,
        pool: &Pool,
        asked: (&RouteRequest<'_>, &Plan),
        (address, key): (Address, &FieldKey),
        field: Vec<Standing>,
        now: Wall,
    ) -> Result<Choice, RouteRefusal> {
        let is_its = |one: &&Standing| self.config.groups[one.group].provider == address.provider;
        let Some(one) = field.iter().find(is_its).cloned() else {
            return Err(RouteRefusal::NoneAvailable { retry_after: None, at_capacity: false });
        };
        let told = self.alone(pool, one.group, asked, Some(address.credential), now);
        if told.choice.is_none() {
            let Explanation { retry_after_ms, at_capacity, .. } = told;
            return Err(RouteRefusal::NoneAvailable { retry_after: retry_after_ms, at_capacity });
        }
        let priority = self.config.groups[one.group].priority;
        self.turns.entry((key.clone(), priority)).or_default().charge(one.group, one.weight);
        let among = vec![(one.group, vec![address.credential])];
        Ok(Choice { among, how: How::Continuation, field })
    }

    /// Nobody is free: the first group that would serve all the same.
    fn last_resort(
        &self,
        pool: &Pool,
        (request, plan): (&RouteRequest<'_>, &Plan),
        field: Vec<Standing>,
        now: Wall,
    ) -> Result<Choice, RouteRefusal> {
        let floor = plan.group_floor();
        let priority = |one: &Standing| self.config.groups[one.group].priority;
        let below = field.iter().filter(|one| floor.is_none_or(|floor| priority(one) < floor));
        let at = field.iter().filter(|one| Some(priority(one)) == floor);
        let (mut first, mut full) = (None, false);
        for one in below.chain(at) {
            let told = self.alone(pool, one.group, (request, plan), None, now);
            if let Some(id) = told.choice {
                let (_, index) = pool.find(&id).expect("it has a row");
                let among = vec![(one.group, vec![index])];
                return Ok(Choice { among, how: How::LastResort, field });
            }
            first = first.into_iter().chain(told.retry_after_ms).min();
            full |= told.at_capacity;
        }
        Err(RouteRefusal::NoneAvailable { retry_after: first, at_capacity: full })
    }

    /// Takes in what each group weighs for the request.
    fn attend(&mut self, key: &FieldKey, field: &[Standing]) {
        for one in field {
            let priority = self.config.groups[one.group].priority;
            let turns = self.turns.entry((key.clone(), priority)).or_default();
            let before = turns.weights.insert(one.group, one.weight).unwrap_or(0);
            let served = turns.served.entry(one.group).or_insert(0);
            if before != one.weight && one.weight > 0 {
                *served = (*served).max(turns.floor);
            }
        }
    }

    /// The groups that the strategy may choose.
    fn pick(
        &mut self,
        (key, tier): (&FieldKey, i32),
        usable: &[Standing],
        session: Option<SessionHash>,
        in_flight: &[u64],
    ) -> Vec<usize> {
        let turns = self.turns.entry((key.clone(), tier)).or_default();
        let provider = |one: &Standing| self.config.groups[one.group].provider;
        let all = || usable.iter().map(|one| one.group).collect();
        match (self.config.strategy, session) {
            (Strategy::FillFirst, _) => vec![usable[0].group],
            (Strategy::WeightedRoundRobin, _) if usable.len() == 1 => all(),
            (Strategy::WeightedRoundRobin, _) => {
                let total: u64 = usable.iter().map(|one| one.weight).sum();
                let slot = turns.slot.map_or(0, |slot| slot + 1) % total;
                turns.slot = Some(slot);
                let mut end = 0;
                let at = usable.iter().position(|one| {
                    end += one.weight;
                    end > slot
                });
                vec![usable[at.expect("a slot of the total")].group]
            }
            (Strategy::LeastBusy, _) => {
                let least = usable.iter().min_by(|a, b| {
                    let busy = |one: &Standing| in_flight[provider(one).0 as usize];
                    let (here, there) = (busy(a) * b.weight, busy(b) * a.weight);
                    here.cmp(&there).then(turns.served[&a.group].cmp(&turns.served[&b.group]))
                });
                let least = least.expect("somebody is usable");
                let (group, weight) = (least.group, least.weight);
                turns.charge(group, weight);
                vec![group]
            }
            (Strategy::Rendezvous, Some(session)) => {
                let first = usable.iter().min_by(|a, b| {
                    let at = |one: &Standing| arrival(session, provider(one)) / one.weight as f64;
                    at(a).total_cmp(&at(b))
                });
                vec![first.expect("somebody is usable").group]
            }
            (Strategy::Smooth | Strategy::WeightedRandom | Strategy::Rendezvous, _) => all(),
        }
    }
}

impl Turns {
    fn charge(&mut self, group: usize, weight: u64) {
        let served = self.served.entry(group).or_insert(0);
        self.floor = self.floor.max(*served);
        *served += PICK / weight.max(1);
    }
}

/// What the group's provider calls a model.
pub fn upstream<'a>(group: &'a Group, model: &'a str) -> Option<&'a str> {
    match &group.models {
        None => Some(model),
        Some(models) => {
            let exposed = models.iter().find(|exposed| &*exposed.name == model)?;
            Some(&exposed.upstream)
        }
    }
}

/// When a group of weight 1 arrives in the session's race.
fn arrival(session: SessionHash, provider: ProviderIndex) -> f64 {
    let name = crate::driver::name(provider.0);
    let draw = spread(spread(session.0) ^ hash_text(name.as_bytes())) | 1;
    -(draw as f64 / 2_f64.powi(64)).ln()
}

/// The last steps of MurmurHash3's 64-bit hash.
fn spread(mut bits: u64) -> u64 {
    for factor in [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53] {
        bits = (bits ^ (bits >> 33)).wrapping_mul(factor);
    }
    bits ^ (bits >> 33)
}
