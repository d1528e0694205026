//! What is known of one subject: a credential or a quota group, as a whole and for single models.

use crate::config::Policy;
use crate::cooldown::{Cooldown, Failure, Hold, Terms};
use crate::types::{Class, Inside, Lane, Moment, Scope, hash_text};

/// Models that have records of their own, for one subject; the one whose rest ends first leaves.
const MODELS_KEPT: usize = 256;

/// One record per lane.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Health {
    lanes: [Cooldown; Lane::COUNT],
}

/// One model of a subject.
#[derive(Clone, Debug)]
pub(crate) struct ModelHealth {
    pub(crate) hash: u64,
    pub(crate) name: Box<str>,
    pub(crate) health: Health,
}

/// A credential or a quota group.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subject {
    pub(crate) whole: Health,
    pub(crate) models: Vec<ModelHealth>,
}

/// What keeps a subject out, and what is known of the lane that does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held<'a> {
    pub(crate) hold: Hold,
    pub(crate) lane: &'a Cooldown,
    /// Whether it is the credential's own, its quota group's, of one model, or the provider's.
    pub(crate) scope: Scope,
    pub(crate) model: Option<&'a str>,
}

/// A policy, and whether the credential is the only one there is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules<'a> {
    pub(crate) policy: &'a Policy,
    pub(crate) alone: bool,
}

impl Health {
    pub(crate) const fn lane(&self, lane: Lane) -> &Cooldown {
        &self.lanes[lane as usize]
    }

    pub(crate) const fn lane_mut(&mut self, lane: Lane) -> &mut Cooldown {
        &mut self.lanes[lane as usize]
    }

    /// Takes in a failure of that lane; answers whether the deadline moved.
    pub(crate) fn fail(
        &mut self,
        lane: Lane,
        failure: Failure,
        rules: Rules<'_>,
        now: Moment,
    ) -> bool {
        self.lane_mut(lane).fail(failure, &rules.policy.terms(lane, rules.alone), now)
    }

    /// Takes in a success; answers whether it cleared anything. A `proof` clears what still runs, too.
    pub(crate) fn succeed(&mut self, began: Inside, proof: bool, rules: Rules<'_>) -> bool {
        let succeed = |any, &lane: &Lane| {
            let terms = rules.policy.terms(lane, rules.alone);
            let cooldown = &mut self.lanes[lane as usize];
            (if proof { cooldown.clear() } else { cooldown.succeed(began, &terms) }) | any
        };
        Lane::ALL.iter().fold(false, succeed)
    }

    /// Ends every rest that `which` names by its cause; answers whether there was any.
    pub(crate) fn clear(&mut self, which: impl Fn(Option<Class>) -> bool) -> bool {
        self.lanes
            .iter_mut()
            .filter(|lane| which(lane.record().cause))
            .fold(false, |any, lane| lane.clear() | any)
    }

    /// What keeps it out for longest now, if anything does.
    pub(crate) fn hold<'a>(&'a self, rules: Rules<'a>, now: Inside) -> Option<Held<'a>> {
        let held = self.each(rules).filter_map(|(lane, terms)| {
            let hold = lane.hold(&terms, now)?;
            Some(Held { hold, lane, scope: Scope::Credential, model: None })
        });
        held.reduce(Held::longer)
    }

    /// Whether more than a probe under way holds it out.
    pub(crate) fn is_held_firmly(&self, rules: Rules<'_>, now: Inside) -> bool {
        self.each(rules).any(|(lane, terms)| lane.hold(&terms, now).is_some_and(|it| !it.probing))
    }

    /// When the last of its windows ends.
    pub(crate) fn end(&self, rules: Rules<'_>) -> Inside {
        self.each(rules).map(|(lane, terms)| lane.end(&terms)).max().unwrap_or(Inside::MIN)
    }

    /// The step of the ladder that it stands on, the highest of its lanes.
    pub(crate) fn level(&self, policy: &Policy, now: Inside) -> u32 {
        let rules = Rules { policy, alone: false };
        self.each(rules).map(|(lane, terms)| lane.level(terms.ladder, now)).max().unwrap_or(0)
    }

    /// One attempt goes as a probe of whatever is due; answers whether anything was.
    pub(crate) fn begin_probe(&mut self, probe: u32, rules: Rules<'_>, now: Inside) -> bool {
        let begin = |any, &lane: &Lane| {
            let terms = rules.policy.terms(lane, rules.alone);
            self.lanes[lane as usize].begin_probe(probe, &terms, now) | any
        };
        Lane::ALL.iter().fold(false, begin)
    }

    /// The probe ended without saying anything.
    pub(crate) fn end_probe(&mut self, probe: u32) {
        self.lanes.iter_mut().for_each(|lane| lane.end_probe(probe));
    }

    /// Whether a success would change nothing and a failure would find the first step of the ladder.
    #[inline(always)]
    pub(crate) fn is_clean(&self) -> bool {
        self.lanes.iter().all(|lane| !lane.record().counts())
    }

    /// Whether nothing of its failures counts any more.
    pub(crate) fn is_forgotten(&self, policy: &Policy, now: Inside) -> bool {
        self.lanes.iter().all(|lane| lane.deadline() <= now) && self.level(policy, now) == 0
    }

    fn each<'a>(&'a self, rules: Rules<'a>) -> impl Iterator<Item = (&'a Cooldown, Terms<'a>)> {
        let each = move |&lane: &Lane| (self.lane(lane), rules.policy.terms(lane, rules.alone));
        Lane::ALL.iter().map(each)
    }
}

impl<'a> Held<'a> {
    /// The one that lasts longer; the first of equals.
    pub(crate) fn longer(self, other: Held<'a>) -> Self {
        if other.hold.until > self.hold.until { other } else { self }
    }
}

impl Subject {
    /// What is known of one of its models.
    pub(crate) fn model(&self, hash: u64) -> Option<&ModelHealth> {
        self.models.iter().find(|known| known.hash == hash)
    }

    pub(crate) fn model_mut(&mut self, hash: u64) -> Option<&mut Health> {
        let known = self.models.iter_mut().find(|known| known.hash == hash);
        known.map(|known| &mut known.health)
    }

    /// The record of a model, which may be new.
    pub(crate) fn of_model(&mut self, name: &str, policy: &Policy, now: Inside) -> &mut Health {
        let hash = hash_text(name.as_bytes());
        let at = match self.models.iter().position(|known| known.hash == hash) {
            Some(at) => at,
            None => {
                if self.models.len() >= MODELS_KEPT {
                    self.forget_model(policy, now);
                }
                self.models.push(ModelHealth {
                    hash,
                    name: name.into(),
                    health: Health::default(),
                });
                self.models.len() - 1
            }
        };
        &mut self.models[at].health
    }

    /// Makes room for another model.
    fn forget_model(&mut self, policy: &Policy, now: Inside) {
        self.sweep(policy, now);
        let rules = Rules { policy, alone: false };
        let first = (0..self.models.len()).min_by_key(|&at| self.models[at].health.end(rules));
        if let Some(first) = first.filter(|_| self.models.len() >= MODELS_KEPT) {
            self.models.swap_remove(first);
        }
    }

    /// Drops the models of which nothing counts any more.
    pub(crate) fn sweep(&mut self, policy: &Policy, now: Inside) {
        self.models.retain(|known| !known.health.is_forgotten(policy, now));
    }

    /// Ends every rest that `which` names by its cause; answers whether there was any.
    pub(crate) fn clear(&mut self, which: impl Fn(Option<Class>) -> bool + Copy) -> bool {
        let models = self.models.iter_mut();
        let any = models.fold(false, |any, known| known.health.clear(which) | any);
        self.whole.clear(which) | any
    }

    #[inline(always)]
    pub(crate) fn is_clean(&self) -> bool {
        self.whole.is_clean() && self.models.iter().all(|known| known.health.is_clean())
    }

    pub(crate) fn is_forgotten(&self, policy: &Policy, now: Inside) -> bool {
        self.whole.is_forgotten(policy, now)
            && self.models.iter().all(|known| known.health.is_forgotten(policy, now))
    }
}
