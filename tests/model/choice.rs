//! Whom a request gets in the naive pool, and where that leaves its session.

use std::collections::BTreeMap;

use keyrota::{ChoiceReason, CredentialIndex, EventKind, Millis, Refusal};

use crate::naive::{Ask, Naive, Response, Session, is_alive};
use crate::turns::Turns;

/// Why the request may get those.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum How {
    /// Its session prefers it.
    Preferred,
    /// The strategy chooses.
    Strategy,
    /// Everybody waits for a probe.
    Waiting,
    /// Nobody can serve, and this one recovers first.
    FailsOpen,
}

/// Whom the request may get: one, or several that differ in what the model does not know.
#[derive(Debug)]
pub struct Choice {
    pub ids: Vec<String>,
    pub how: How,
    /// Whether it may be tried although nobody can serve.
    fails_open: bool,
    /// The tier that serves, and who is available in it.
    pub serving: i32,
    eligible: Vec<String>,
}

impl Naive {
    /// The only credential that can serve the request, if there is but one.
    pub fn only(&self, provider: usize, ask: &Ask) -> Option<String> {
        let continued = ask.continues?;
        let now = self.inside;
        let mut responses = self.responses.iter();
        let made = responses.find(|known| {
            (known.provider, known.response) == (provider, continued)
                && is_alive(&self.config.responses, known.made, now)
        })?;
        let maker = self.providers[provider].credentials.get(&made.id)?;
        maker.row.is_some().then(|| made.id.clone())
    }

    /// Whether time alone can keep the credential from the request.
    pub fn fits(&self, provider: usize, id: &str, ask: &Ask) -> bool {
        let credential = &self.providers[provider].credentials[id];
        credential.is_on()
            && credential.serves(ask.model)
            && !ask.tried.iter().any(|tried| tried == id)
            && self.only(provider, ask).is_none_or(|only| only == id)
            && !self.is_above(provider, id, ask)
    }

    /// Whether the request has come down below its priority.
    pub fn is_above(&self, provider: usize, id: &str, ask: &Ask) -> bool {
        let row = self.providers[provider].credentials[id].row.as_ref();
        row.zip(ask.floor).is_some_and(|(row, floor)| row.priority > floor)
    }

    /// The tiers in the order in which the request comes to them.
    fn tiers(&self, provider: usize, ask: &Ask) -> Vec<(i32, &Turns)> {
        let mut tiers: Vec<(i32, &Turns)> = Vec::new();
        tiers.extend(self.providers[provider].tiers.iter().rev().map(|(&own, turns)| (own, turns)));
        // Where it has failed comes last.
        tiers.sort_by_key(|&(priority, _)| Some(priority) == ask.floor);
        tiers
    }

    /// The credentials of the first of those tiers in which `is_wanted` holds for anyone, in order.
    fn tier_of(
        &self,
        provider: usize,
        ask: &Ask,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Option<(i32, Vec<String>)> {
        self.tiers(provider, ask).into_iter().find_map(|(priority, turns)| {
            let wanted: Vec<String> = turns.ids().filter(|id| is_wanted(id)).cloned().collect();
            (!wanted.is_empty()).then_some((priority, wanted))
        })
    }

    /// The credentials of the highest usable priority that may serve the request, in order.
    pub fn eligible(&self, provider: usize, ask: &Ask, now: i64) -> Option<(i32, Vec<String>)> {
        if self.is_full(provider, now) {
            return None;
        }
        self.tier_of(provider, ask, |id| {
            self.fits(provider, id, ask) && self.is_available(provider, id, ask.model, now)
        })
    }

    /// Whom the request may get, or why nobody.
    pub fn choices(&self, provider: usize, ask: &Ask) -> Result<Choice, Refusal> {
        if !self.providers[provider].loaded {
            return Err(Refusal::NotLoaded);
        }
        let now = self.inside;
        let is_paused = self.paused(provider, now).is_some();
        let is_open = !is_paused || self.config.provider.fail_open;
        let unpaused = if is_open { self.unpaused(provider, ask) } else { None };
        let unpaused = unpaused.map(|choice| Choice { fails_open: is_paused, ..choice });
        let fails_open = || {
            let choice = self.first_to_recover(provider, ask)?;
            Some(choice).filter(|_| self.config.provider.fail_open)
        };
        unpaused.or_else(fails_open).ok_or_else(|| {
            let retry_after = self.retry_after(provider, ask);
            Refusal::NoneAvailable {
                retry_after,
                at_capacity: self.is_short_of_room(provider, ask),
            }
        })
    }

    fn unpaused(&self, provider: usize, ask: &Ask) -> Option<Choice> {
        let (now, in_flight) = (self.inside, self.in_flight(provider));
        if let Some((serving, eligible)) = self.eligible(provider, ask, now) {
            let mut places = self.places(provider, ask).into_iter();
            if let Some(place) = places.find(|place| eligible.contains(place)) {
                return Some(Choice {
                    ids: vec![place],
                    how: How::Preferred,
                    fails_open: false,
                    serving,
                    eligible,
                });
            }
            let turns = &self.providers[provider].tiers[&serving];
            let ids = turns.choices(&eligible, &in_flight, ask.session);
            return Some(Choice { ids, how: How::Strategy, fails_open: false, serving, eligible });
        }
        let (serving, waiting) = self.tier_of(provider, ask, |id| {
            self.fits(provider, id, ask)
                && self.awaits_probes(provider, id, ask.model, now)
                && self.has_room(provider, id, now)
        })?;
        let busy = |id: &String| in_flight.get(id).copied().unwrap_or(0);
        let least = waiting.iter().map(busy).min()?;
        let first = waiting.iter().find(|id| busy(id) == least)?.clone();
        Some(Choice {
            ids: vec![first],
            how: How::Waiting,
            fails_open: false,
            serving,
            eligible: waiting,
        })
    }

    /// The one whose rests end first.
    fn first_to_recover(&self, provider: usize, ask: &Ask) -> Option<Choice> {
        let tiers = self.tiers(provider, ask).into_iter();
        let all = tiers.flat_map(|(priority, turns)| turns.ids().map(move |id| (priority, id)));
        let (serving, id) = all
            .filter(|(_, id)| {
                self.fits(provider, id, ask) && self.has_room(provider, id, self.inside)
            })
            .min_by_key(|(_, id)| self.recovers_at(provider, id, ask.model))?;
        let ids = vec![id.clone()];
        Some(Choice { ids, how: How::FailsOpen, fails_open: true, serving, eligible: Vec::new() })
    }

    fn in_flight(&self, provider: usize) -> BTreeMap<String, u64> {
        let mut in_flight = BTreeMap::new();
        for lease in self.leases.iter().filter(|lease| lease.provider == provider) {
            *in_flight.entry(lease.id.clone()).or_insert(0) += 1;
        }
        in_flight
    }

    fn retry_after(&self, provider: usize, ask: &Ask) -> Option<Millis> {
        let now = self.inside;
        let credentials = self.providers[provider].credentials.keys();
        let fitting = credentials.filter(|id| self.fits(provider, id, ask));
        let changes = fitting.map(|id| {
            if self.awaits_probes(provider, id, ask.model, now) {
                return now;
            }
            let held = self.held(provider, id, ask.model, now);
            held.map_or(now, |held| held.hold.until)
        });
        let paused = self.paused(provider, now);
        // Who only lacks room is not coming back by time.
        let changes = changes.filter(|&change| change > now || paused.is_some());
        let pause = paused.as_ref().map_or(now, |held| held.hold.until);
        changes.min().map(|change| Millis((change.max(pause) - now) as u64))
    }

    /// The credentials that the session prefers, the best first.
    pub fn places(&self, provider: usize, ask: &Ask) -> Vec<String> {
        let is_affine = self.config.provider.strategy.is_affine();
        let session = ask.session.filter(|_| !is_affine);
        let binding = session.and_then(|session| self.binding(provider, session));
        let places = binding.map(|known| [Some(known.home.clone()), known.lodging.clone()]);
        places.into_iter().flatten().flatten().collect()
    }

    pub fn binding(&self, provider: usize, session: u64) -> Option<&Session> {
        let same = |known: &&Session| known.provider == provider && known.session == session;
        let known = self.sessions.iter().find(same);
        known.filter(|known| is_alive(&self.config.affinity, known.used, self.inside))
    }

    /// Takes in which of the choices the request got; answers why that one.
    pub fn choose(
        &mut self,
        provider: usize,
        ask: &Ask,
        chosen: &str,
        choice: &Choice,
    ) -> ChoiceReason {
        self.meet("a choice");
        let turns = self.providers[provider].tiers.get_mut(&choice.serving).expect("it serves");
        match choice.how {
            How::Strategy => turns.count(chosen, &choice.eligible),
            _ => turns.charge(chosen),
        }
        if choice.how == How::Waiting {
            self.meet("a choice among those who wait for a probe");
        }
        if choice.fails_open {
            self.meet("a choice that fails open");
            ChoiceReason::FailOpen
        } else if self.only(provider, ask).is_some() {
            self.meet("a continuation");
            self.renew_response(provider, ask);
            ChoiceReason::Continuation
        } else {
            // Whoever waits for a probe outranks nobody.
            let serving = Some(choice.serving).filter(|_| choice.how != How::Waiting);
            self.settle_session(provider, ask, chosen, serving)
        }
    }

    /// A choice that the caller's own strategy made.
    pub fn chosen(&mut self, provider: usize, ask: &Ask, chosen: &str) -> ChoiceReason {
        let (serving, eligible) = self.eligible(provider, ask, self.inside).expect("it serves");
        let (ids, how) = (Vec::new(), How::Preferred);
        let choice = Choice { ids, how, fails_open: false, serving, eligible };
        self.choose(provider, ask, chosen, &choice)
    }

    fn settle_session(
        &mut self,
        provider: usize,
        ask: &Ask,
        chosen: &str,
        serving: Option<i32>,
    ) -> ChoiceReason {
        let is_affine = self.config.provider.strategy.is_affine();
        let Some(session) = ask.session.filter(|_| !is_affine) else {
            return ChoiceReason::Strategy;
        };
        let now = self.inside;
        let new = Session {
            provider,
            session,
            home: chosen.to_owned(),
            lodging: None,
            home_used: now,
            used: now,
        };
        let Some(bound) = self.binding(provider, session).cloned() else {
            self.bind(new);
            return ChoiceReason::Strategy;
        };
        if self.overflows(provider, ask, &bound, chosen, serving) {
            self.meet("an overflow");
            self.bind(Session { used: now, ..bound });
            return ChoiceReason::Overflow;
        }
        if bound.place() != chosen {
            let from = CredentialIndex(self.credential(provider, bound.place()).index);
            self.events.push((provider, chosen.to_owned(), EventKind::Rebound { from }));
        }
        if bound.home == chosen {
            self.bind(new);
            if bound.lodging.is_some() {
                self.meet("a return home");
            }
            ChoiceReason::Affinity
        } else if self.keeps_home(provider, ask, &bound, serving) {
            self.bind(Session { lodging: Some(chosen.to_owned()), used: now, ..bound });
            self.meet("a lodging");
            ChoiceReason::Lodging
        } else {
            self.bind(new);
            let was_there = bound.place() == chosen;
            if was_there { ChoiceReason::Affinity } else { ChoiceReason::Rebound }
        }
    }

    /// Whether the session will go back to its home.
    fn keeps_home(
        &self,
        provider: usize,
        ask: &Ask,
        bound: &Session,
        serving: Option<i32>,
    ) -> bool {
        let Some(life) = self.config.provider.policy.home else { return false };
        let home = &self.providers[provider].credentials[&bound.home];
        let recovers_at = self.recovers_at(provider, &bound.home, ask.model);
        home.is_on()
            && home.serves(ask.model)
            && home
                .row
                .as_ref()
                .is_some_and(|row| serving.is_none_or(|serving| row.priority >= serving))
            && recovers_at.is_none_or(|end| end <= bound.home_used + life.0 as i64)
    }

    fn bind(&mut self, session: Session) {
        let key = (session.provider, session.session);
        self.sessions.retain(|known| (known.provider, known.session) != key);
        self.sessions.push(session);
        let surplus = self.sessions.len().saturating_sub(self.config.affinity.capacity);
        self.sessions.drain(..surplus);
    }

    /// Remembers who made a response.
    pub fn remember(&mut self, provider: usize, response: u64, id: &str, now: i64) {
        self.begin(now);
        let key = (provider, response);
        self.responses.retain(|known| (known.provider, known.response) != key);
        let (id, made) = (id.to_owned(), self.inside);
        self.responses.push(Response { provider, response, id, made });
        let surplus = self.responses.len().saturating_sub(self.config.responses.capacity);
        self.responses.drain(..surplus);
    }

    fn renew_response(&mut self, provider: usize, ask: &Ask) {
        let is_it = |known: &Response| {
            Some((known.provider, known.response))
                == ask.continues.map(|response| (provider, response))
        };
        if let Some(at) = self.responses.iter().position(is_it) {
            let response = self.responses.remove(at);
            self.responses.push(Response { made: self.inside, ..response });
        }
    }
}
