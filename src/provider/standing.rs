//! How a credential stands: what holds it out, by itself, by its quota group, for one model; and what
//! failures and successes do to that.

use super::{Ask, Provider};
use crate::affinity::Binding;
use crate::config::Rollback;
use crate::cooldown::{Failure, Hold};
use crate::health::{Health, Held, Rules};
use crate::types::{Class, CredentialIndex, Inside, Lane, Moment, Scope, hash_text};

/// Which subjects a lease probes, to end the probe with it.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Probed {
    /// Tells the lease apart from those that probed before and after it.
    pub(crate) probe: u32,
    pub(crate) whole: bool,
    pub(crate) group: bool,
    pub(crate) model: bool,
    pub(crate) pause: bool,
}

impl Probed {
    #[inline(always)]
    pub(crate) const fn any(self) -> bool {
        self.whole || self.group || self.model || self.pause
    }
}

/// A failure that may turn out to be the provider's.
#[derive(Clone, Debug)]
pub(crate) struct Suspect {
    at: Inside,
    class: Class,
    lane: Lane,
    credential: CredentialIndex,
    /// The model whose record was written; 0 for the credential's own.
    model: u64,
    request: u64,
    /// How many failures it stands for that count towards the blacklist.
    strikes: u32,
}

impl Suspect {
    pub(crate) fn new(
        (class, lane): (Class, Lane),
        credential: CredentialIndex,
        model: Option<&str>,
        request: u64,
        at: Inside,
    ) -> Self {
        let model = model.map_or(0, |model| hash_text(model.as_bytes()));
        Self { at, class, lane, credential, model, request, strikes: 0 }
    }

    /// The same, as a failure that counts towards the blacklist, or not.
    pub(crate) fn striking(self, counts: bool) -> Self {
        Self { strikes: u32::from(counts), ..self }
    }
}

impl Provider {
    pub(super) fn rules(&self, credential: CredentialIndex) -> Rules<'_> {
        Rules { policy: &self.config.policy, alone: self.alone == Some(credential) }
    }

    #[inline(always)]
    fn group_health(&self, credential: CredentialIndex) -> Option<&Health> {
        let group = self.get(credential)?.group?;
        self.groups.get(group as usize).map(|group| &group.health)
    }

    /// What holds the credential out for every model.
    pub(crate) fn held(&self, credential: CredentialIndex, now: Inside) -> Option<Held<'_>> {
        let rules = self.rules(credential);
        let own = self.get(credential)?.subject.whole.hold(rules, now);
        let group = self.group_health(credential).and_then(|health| health.hold(rules, now));
        longest(own, group.map(|held| Held { scope: Scope::Account, ..held }))
    }

    /// What holds it out for that model alone.
    pub(crate) fn model_held(
        &self,
        credential: CredentialIndex,
        model: u64,
        now: Inside,
    ) -> Option<Held<'_>> {
        let known = self.get(credential)?.subject.model(model)?;
        let held = known.health.hold(self.rules(credential), now)?;
        Some(Held { scope: Scope::Model, model: Some(&known.name), ..held })
    }

    /// Whether more than a probe under way holds it out for the request.
    pub(super) fn is_held_firmly(&self, credential: CredentialIndex, ask: &Ask<'_>) -> bool {
        let rules = self.rules(credential);
        let firmly = |health: &Health| health.is_held_firmly(rules, ask.now);
        let own = self.get(credential).map(|known| &known.subject);
        own.is_some_and(|own| {
            firmly(&own.whole) || own.model(ask.model_hash).is_some_and(|m| firmly(&m.health))
        }) || self.group_health(credential).is_some_and(firmly)
    }

    /// When it may be asked again.
    pub(super) fn free_at(&self, credential: CredentialIndex, ask: &Ask<'_>) -> Inside {
        let model = self.model_held(credential, ask.model_hash, ask.now);
        longest(self.held(credential, ask.now), model).map_or(ask.now, |held| held.hold.until)
    }

    /// When the last of its windows ends, whoever may probe it before.
    pub(crate) fn recovers_at(
        &self,
        credential: CredentialIndex,
        model: u64,
        now: Inside,
    ) -> Inside {
        let rules = self.rules(credential);
        let own = self.get(credential).map(|known| &known.subject);
        let ends = [
            own.map(|own| own.whole.end(rules)),
            own.and_then(|own| Some(own.model(model)?.health.end(rules))),
            self.group_health(credential).map(|health| health.end(rules)),
            self.held(credential, now).map(|held| held.hold.until),
        ];
        ends.into_iter().flatten().max().unwrap_or(now)
    }

    /// Whether a session that must go elsewhere for now will go back to its home: when that is over by
    /// the time the prompt cache there has gone cold.
    pub(crate) fn keeps_home(&self, binding: &Binding, ask: &Ask<'_>) -> bool {
        let Some(life) = self.config.policy.home else { return false };
        let home = binding.credential;
        let Some(known) = self.get(home).filter(|known| known.is_on()) else { return false };
        // One that ranks below those who serve would not be gone back to.
        let tiers = known.seat.map(|(tier, _)| tier).zip(self.serving_tier(ask));
        let is_outranked = tiers.is_some_and(|(own, serving)| own > serving);
        let recovery = self.recovers_at(home, ask.model_hash, ask.now);
        !is_outranked && known.serves(ask.model) && recovery <= binding.home_used.after(life)
    }

    /// What keeps everyone out.
    #[inline(always)]
    pub(crate) fn pause_hold(&self, now: Inside) -> Option<Hold> {
        self.pause.hold(&self.config.policy.pause_terms(), now)
    }

    /// What holds the credential out for the request, if anything does: the rest that lasts longest.
    pub(crate) fn held_for(
        &self,
        credential: CredentialIndex,
        model: u64,
        now: Inside,
    ) -> Option<Held<'_>> {
        let pause = self.pause_hold(now).map(|hold| Held {
            hold,
            lane: &self.pause,
            scope: Scope::Provider,
            model: None,
        });
        let own = longest(self.held(credential, now), self.model_held(credential, model, now));
        longest(own, pause)
    }

    /// Makes availability follow, after something changed for the credential and for its quota group.
    /// `told` hears of everyone who rested before and rests no more.
    pub(crate) fn refresh_all(
        &mut self,
        credential: CredentialIndex,
        now: Inside,
        mut told: impl FnMut(CredentialIndex),
    ) {
        let Some(known) = self.get(credential) else { return };
        let members = match known.group {
            Some(group) => {
                let same = |&&index: &&CredentialIndex| {
                    index != credential
                        && self.get(index).is_some_and(|known| known.group == Some(group))
                };
                self.listed.iter().filter(same).copied().collect()
            }
            None => Vec::new(),
        };
        for member in members.into_iter().chain([credential]) {
            let was_resting = self.is_resting(member);
            self.refresh(member, now);
            if was_resting && !self.is_resting(member) {
                told(member);
            }
        }
    }

    /// Whoever goes now goes as a probe of whatever is due.
    pub(crate) fn begin_probe(
        &mut self,
        credential: CredentialIndex,
        model: u64,
        probe: u32,
        now: Inside,
    ) -> Probed {
        if self.is_untroubled(credential) {
            return Probed::default();
        }
        let mut probed = Probed { probe, ..Probed::default() };
        let Self { config, credentials, groups, alone, pause, .. } = self;
        probed.pause = pause.begin_probe(probe, &config.policy.pause_terms(), now);
        let rules = Rules { policy: &config.policy, alone: *alone == Some(credential) };
        let Some(known) = credentials.get_mut(credential.0 as usize) else { return probed };
        probed.whole = known.subject.whole.begin_probe(probe, rules, now);
        let group = known.group.and_then(|group| groups.get_mut(group as usize));
        probed.group = group.is_some_and(|group| group.health.begin_probe(probe, rules, now));
        let model = known.subject.model_mut(model);
        probed.model = model.is_some_and(|model| model.begin_probe(probe, rules, now));
        if probed.whole || probed.group {
            self.refresh_all(credential, now, |_| {});
        }
        probed
    }

    /// A probe ended; what it found out comes after this.
    pub(crate) fn end_probe(
        &mut self,
        credential: CredentialIndex,
        model: u64,
        probed: Probed,
        now: Inside,
    ) {
        if !probed.any() {
            return;
        }
        let probe = probed.probe;
        if probed.pause {
            self.pause.end_probe(probe);
        }
        let Self { credentials, groups, .. } = self;
        let Some(known) = credentials.get_mut(credential.0 as usize) else { return };
        if probed.whole {
            known.subject.whole.end_probe(probe);
        }
        if let Some(model) = known.subject.model_mut(model).filter(|_| probed.model) {
            model.end_probe(probe);
        }
        if probed.group {
            // The credential may have another group by now, and this one's members wait for the probe.
            groups.iter_mut().for_each(|group| group.health.end_probe(probe));
            (0..self.credentials.len() as u32)
                .for_each(|index| self.refresh(CredentialIndex(index), now));
        }
        self.refresh_all(credential, now, |_| {});
    }

    /// Writes a failure to the subject of its scope; answers whether that moved its deadline.
    pub(crate) fn fail(
        &mut self,
        credential: CredentialIndex,
        (scope, model): (Scope, Option<&str>),
        lane: Lane,
        failure: Failure,
        now: Moment,
    ) -> bool {
        let Self { config, credentials, groups, alone, minds_models, .. } = self;
        let rules = Rules { policy: &config.policy, alone: *alone == Some(credential) };
        let Some(known) = credentials.get_mut(credential.0 as usize) else { return false };
        let group = known.group.and_then(|group| groups.get_mut(group as usize));
        let subject = match (scope, model, group) {
            (Scope::Model, Some(model), _) => {
                *minds_models = true;
                known.subject.of_model(model, &config.policy, now.inside)
            }
            (Scope::Account, _, Some(group)) => &mut group.health,
            _ => &mut known.subject.whole,
        };
        subject.fail(lane, failure, rules, now)
    }

    /// The record that a failure of that scope is written to.
    pub(crate) fn health_of(
        &self,
        credential: CredentialIndex,
        scope: Scope,
        model: Option<&str>,
    ) -> Option<&Health> {
        let own = &self.get(credential)?.subject;
        match (scope, model) {
            (Scope::Model, Some(model)) => {
                own.model(hash_text(model.as_bytes())).map(|known| &known.health)
            }
            (Scope::Account, _) => self.group_health(credential).or(Some(&own.whole)),
            _ => Some(&own.whole),
        }
    }

    /// Takes in a success of an attempt that began then; answers whether it cleared anything.
    ///
    /// A `proof`, which was let through while a rest ran, clears that too.
    pub(crate) fn succeed(
        &mut self,
        credential: CredentialIndex,
        model: Option<&str>,
        began: Inside,
        proof: bool,
    ) -> bool {
        self.suspects.clear();
        let Self { config, credentials, groups, alone, pause, .. } = self;
        let rules = Rules { policy: &config.policy, alone: *alone == Some(credential) };
        let pause_ended =
            if proof { pause.clear() } else { pause.succeed(began, &config.policy.pause_terms()) };
        let Some(known) = credentials.get_mut(credential.0 as usize) else { return pause_ended };
        known.counters.successes += 1;
        known.refresh = crate::credential::Refresh::No;
        known.strikes.succeed();
        let group = known.group.and_then(|group| groups.get_mut(group as usize));
        let of_group = group.is_some_and(|group| group.health.succeed(began, proof, rules));
        let of_whole = known.subject.whole.succeed(began, proof, rules);
        let model = model.and_then(|model| known.subject.model_mut(hash_text(model.as_bytes())));
        let of_model = model.is_some_and(|model| model.succeed(began, proof, rules));
        pause_ended | of_group | of_whole | of_model
    }

    /// Ends every rest of the credential and of its quota group that `which` names by its cause.
    pub(crate) fn clear(
        &mut self,
        credential: CredentialIndex,
        which: impl Fn(Option<Class>) -> bool + Copy,
    ) -> bool {
        let Self { credentials, groups, .. } = self;
        let Some(known) = credentials.get_mut(credential.0 as usize) else { return false };
        let group = known.group.and_then(|group| groups.get_mut(group as usize));
        let of_group = group.is_some_and(|group| group.health.clear(which));
        known.subject.clear(which) | of_group
    }

    /// Whether a success would change nothing but the counts.
    #[inline(always)]
    pub(crate) fn is_untroubled(&self, credential: CredentialIndex) -> bool {
        self.suspects.is_empty()
            && !self.pause.record().counts()
            && self.get(credential).is_some_and(|known| known.is_clean())
            && self.group_health(credential).is_none_or(Health::is_clean)
    }

    /// Adds a failure to those that may be the provider's. When enough of them are alike, ends the rests
    /// that they caused, and answers whom that takes off the blacklist: the provider is to pause instead.
    pub(crate) fn suspect(
        &mut self,
        mut suspect: Suspect,
        rollback: Rollback,
        mut told: impl FnMut(CredentialIndex),
    ) -> Option<Vec<CredentialIndex>> {
        let (now, class) = (suspect.at, suspect.class);
        self.suspects.retain(|known| known.at.after(rollback.within) >= now);
        // The newest few of each credential say enough.
        let same = |known: &Suspect| (known.class, known.credential) == (class, suspect.credential);
        let request = suspect.request;
        let is_known = |known: &Suspect| same(known) && known.request == request;
        // What one stood for that leaves, the new one stands for.
        suspect.strikes +=
            self.suspects.iter().filter(|k| is_known(k)).map(|k| k.strikes).sum::<u32>();
        self.suspects.retain(|known| !is_known(known));
        let before = self.suspects.iter().filter(|known| same(known)).count();
        if before >= rollback.requests as usize
            && let Some(oldest) = self.suspects.iter().position(same)
        {
            suspect.strikes += self.suspects.remove(oldest).strikes;
        }
        self.suspects.push(suspect);
        let alike = || self.suspects.iter().filter(|known| known.class == class);
        let credentials = distinct(alike().map(|known| u64::from(known.credential.0)));
        let requests = distinct(alike().map(|known| known.request));
        if credentials < rollback.credentials || requests < rollback.requests {
            return None;
        }
        let (mistaken, others) =
            std::mem::take(&mut self.suspects).into_iter().partition(|known| known.class == class);
        self.suspects = others;
        let mistaken: Vec<Suspect> = mistaken;
        let mut acquitted = Vec::new();
        for Suspect { lane, credential, model, strikes, .. } in mistaken {
            let Some(known) = self.get_mut(credential) else { continue };
            acquitted.extend(known.strikes.take_back(strikes).then_some(credential));
            let health = match model {
                0 => Some(&mut known.subject.whole),
                model => known.subject.model_mut(model),
            };
            // A time that the provider stated is no mistake.
            let lane = health.map(|health| health.lane_mut(lane));
            if let Some(lane) = lane.filter(|lane| !lane.record().stated) {
                lane.clear();
            }
            self.refresh_all(credential, now, &mut told);
        }
        Some(acquitted)
    }
}

/// The hold that lasts longer.
pub(crate) fn longest<'a>(a: Option<Held<'a>>, b: Option<Held<'a>>) -> Option<Held<'a>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.longer(b)),
        (a, b) => a.or(b),
    }
}

/// How many different numbers there are.
fn distinct(numbers: impl Iterator<Item = u64>) -> u32 {
    let mut seen: Vec<u64> = Vec::new();
    for number in numbers {
        if !seen.contains(&number) {
            seen.push(number);
        }
    }
    seen.len() as u32
}
