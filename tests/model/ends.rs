//! How attempts end: the same verdicts to the pool and to the naive pool.

use keyrota::{
    Class, Event, EventKind, LeaseId, Millis, Outcome, PolicyName, Scope, SessionHash, Verdict,
};

use crate::driver::{Driver, SESSIONS, at};
use crate::naive::{Ask, Provider};
use crate::outcomes::{classic, random_verdict, random_wait, verdict};
use crate::window::Window;

impl Driver {
    /// One of the newest leases; mostly one that has not ended.
    fn some_lease(&mut self) -> Option<(LeaseId, u64)> {
        let newest = self.leases.iter().rev().take(40).copied();
        let running =
            |lease: &(LeaseId, u64)| self.naive.leases.iter().any(|known| known.number == lease.1);
        let running: Vec<_> = newest.clone().filter(running).take(12).collect();
        let those = if self.rng.below(5) == 0 { newest.collect() } else { running };
        let at = self.rng.below(those.len() as u64) as usize;
        those.get(at).copied()
    }

    fn policy(&self) -> PolicyName {
        self.config.provider.policy.name
    }

    fn model(&mut self) -> Option<&'static str> {
        [None, None, Some("small"), Some("large")][self.below(4) as usize]
    }

    /// A verdict that is known already.
    pub fn conclude(&mut self) {
        let Some(lease) = self.some_lease() else { return };
        let (verdict, model) = (random_verdict(self.policy(), &mut self.rng), self.model());
        self.conclude_with(lease, &verdict, model);
    }

    /// An attempt fails that began before the rest ended which is being probed.
    pub fn conclude_beside_a_probe(&mut self) {
        let (naive, now) = (&self.naive, self.naive.inside);
        let is_awaited = |window: &Window| window.probe.is_some_and(|(_, until)| now < until);
        let beside = naive.leases.iter().filter_map(|lease| {
            let known = &naive.providers[lease.provider].credentials[&lease.id];
            let mut windows = known.lanes.iter().flatten();
            let window = windows.find(|window| is_awaited(window) && lease.began < window.until)?;
            let ours = self.leases.iter().find(|(_, number)| *number == lease.number)?;
            Some((*ours, window.cause))
        });
        let beside: Vec<_> = beside.collect();
        let at_random = self.rng.below(beside.len() as u64) as usize;
        let Some(&(lease, cause)) = beside.get(at_random) else { return };
        let wait = random_wait(&mut self.rng).filter(|_| self.below(2) == 0);
        self.conclude_with(lease, &verdict(cause, Scope::Credential, wait, false), None);
    }

    fn conclude_with(
        &mut self,
        (lease, number): (LeaseId, u64),
        verdict: &Verdict,
        model: Option<&'static str>,
    ) {
        let Verdict { class, scope, wait_ms, disable, .. } = verdict;
        self.note(("conclude", number, class, scope, wait_ms, disable, model));
        let ended = self.pool.conclude(lease, verdict, model, self.wall());
        self.read_drawn();
        let expected = self.naive.conclude(number, verdict, model, self.now);
        assert_eq!(ended, expected, "{}", self.context());
    }

    /// A response: what it means is told by the pool, and for the documented service by its table.
    pub fn report(&mut self) {
        let Some((lease, number)) = self.some_lease() else { return };
        let outcome = Outcome { model: self.model(), ..self.outcome() };
        self.note(("report", number, outcome));
        let told = self.pool.report(lease, &outcome, self.wall());
        let Some(told) = told else {
            if self.naive.leases.iter().any(|lease| lease.number == number) {
                self.naive.begin(self.now); // it is overdue
            }
            let is_known = self.naive.leases.iter().any(|lease| lease.number == number);
            return assert!(!is_known, "{}", self.context());
        };
        self.check_classic(&outcome, &told);
        self.read_drawn();
        let model = outcome.model.map(|model| if model == "small" { "small" } else { "large" });
        assert!(self.naive.conclude(number, &told, model, self.now), "{}", self.context());
    }

    fn check_classic(&self, outcome: &Outcome<'_>, told: &Verdict) {
        if self.policy() == PolicyName::Classic {
            let Verdict { class, scope, wait_ms, disable, .. } = match outcome.network_code {
                // What did not reach the provider may be sent again, and nobody is to blame.
                Some(_) if outcome.status.is_none() => {
                    verdict(Class::ServerError, Scope::None, None, false)
                }
                _ => classic(outcome.status),
            };
            let expected = (class, scope, wait_ms, disable);
            let told = (told.class, told.scope, told.wait_ms, told.disable);
            assert_eq!(told, expected, "{}", self.context());
        }
    }

    pub fn report_untroubled(&mut self) {
        let Some((lease, number)) = self.some_lease() else { return };
        self.note(("report untroubled", number));
        let settled = self.pool.report_untroubled(lease);
        assert_eq!(settled, self.naive.report_untroubled(number), "{}", self.context());
    }

    pub fn release(&mut self) {
        let Some((lease, number)) = self.some_lease() else { return };
        self.note(("release", number));
        self.pool.release(lease);
        self.naive.end(number);
    }

    pub fn report_session(&mut self, provider: usize) {
        let session = self.below(SESSIONS);
        if self.below(3) == 0 {
            self.note(("succeed session", session));
            self.pool.succeed_session(SessionHash(session), self.wall());
            return self.naive.succeed_session(session, self.now);
        }
        let outcome = self.outcome();
        self.report_session_with(provider, session, &outcome);
    }

    fn report_session_with(&mut self, provider: usize, session: u64, outcome: &Outcome<'_>) {
        self.note(("report session", provider, session, outcome));
        let (place, hash, wall) = (at(provider), SessionHash(session), self.wall());
        let judged = self.pool.judge(place, outcome, wall);
        self.check_classic(outcome, &judged);
        let told = self.pool.report_session(place, hash, outcome, wall);
        self.read_drawn();
        let expected = self.naive.report_session(provider, session, &judged, self.now);
        assert_eq!(told, expected.then_some(judged), "{}", self.context());
    }

    pub fn release_session(&mut self) {
        let session = self.below(SESSIONS);
        self.note(("release session", session));
        let before = self.naive.sessions.len();
        self.naive.sessions.retain(|known| known.session != session);
        let any = before > self.naive.sessions.len();
        assert_eq!(self.pool.release_session(SessionHash(session)), any, "{}", self.context());
    }

    /// Many requests at once, if possible while a probe is under way.
    pub fn crowd(&mut self, provider: usize) {
        let now = self.naive.inside;
        let is_probed = |known: &Provider| {
            known.windows().any(|window| window.probe.is_some_and(|(_, until)| now < until))
        };
        let probed = self.naive.providers.iter().position(is_probed);
        for _ in 0..2 + self.below(4) {
            self.acquire_for(probed.unwrap_or(provider), &Ask::default(), true);
            self.compare(provider);
        }
    }

    /// Several sessions fail alike, one after the other.
    pub fn storm_of_sessions(&mut self, provider: usize) {
        let status = Some([401, 500, 503][self.below(3) as usize]);
        for _ in 0..2 + self.below(5) {
            let session = self.below(SESSIONS);
            let ask = Ask { session: Some(session), ..Ask::default() };
            self.acquire_for(provider, &ask, false);
            self.report_session_with(provider, session, &Outcome { status, ..Outcome::default() });
            self.compare(provider);
        }
    }

    /// Several attempts fail alike, one after the other.
    pub fn storm(&mut self, provider: usize) {
        const CLASSES: [Class; 4] =
            [Class::Overloaded, Class::ServerError, Class::AuthFailed, Class::RateLimited];
        let class = CLASSES[self.below(4) as usize];
        let scope = [Scope::Credential, Scope::Model][self.below(2) as usize];
        let is_one_request = self.below(3) == 0;
        let Ask { model, number, .. } = self.ask();
        let mut tried = Vec::new();
        for _ in 0..2 + self.below(4) {
            let own = if is_one_request { number } else { self.ask().number };
            let ask = Ask { model, tried: tried.clone(), number: own, ..Ask::default() };
            if let Some(lease) = self.acquire_for(provider, &ask, true) {
                tried.extend(self.naive.leases.last().map(|lease| lease.id.clone()));
                self.now += [0, 0, 900, 2_500, 5_000][self.below(5) as usize];
                if self.policy() == PolicyName::Adaptive {
                    let wait = (self.below(12) == 0).then_some(Millis(30_000));
                    self.conclude_with(lease, &verdict(class, scope, wait, false), model);
                }
            }
            self.compare(provider);
        }
    }

    pub fn refreshed(&mut self) {
        let at_random = self.below(self.refreshing.len() as u64) as usize;
        if self.refreshing.is_empty() {
            return;
        }
        let (provider, id) = self.refreshing.swap_remove(at_random);
        let has_new = self.below(2) == 0;
        self.note(("refreshed", provider, &id, has_new));
        let (credential, wall) = (self.index(provider, &id), self.wall());
        self.pool.refreshed(at(provider), credential, has_new, wall);
        self.naive.refreshed(provider, &id, has_new, self.now);
    }

    /// Reads how long waits turned out that are lengthened at random; the events stay to be compared.
    fn read_drawn(&mut self) {
        let events: Vec<Event> = self.pool.take_events();
        let now = self.now;
        let drawn = events.iter().filter_map(|event| match &event.kind {
            EventKind::Cooldown(rest) | EventKind::Paused(rest) if !rest.stated => {
                let is_drawn = matches!(event.kind, EventKind::Paused(_))
                    || matches!(rest.class, Class::Overloaded | Class::ServerError);
                is_drawn.then_some(rest.until.0 - now)
            }
            _ => None,
        });
        self.naive.drawn = drawn.collect();
        self.events.extend(events);
    }

    fn outcome(&mut self) -> Outcome<'static> {
        const STATUSES: [u16; 15] =
            [200, 200, 200, 204, 400, 401, 402, 403, 404, 407, 408, 429, 429, 503, 529];
        const WAITS: [&[(&str, &str)]; 8] = [
            &[("retry-after", "1")],
            &[("retry-after", "30")],
            &[("retry-after", "60")],
            &[("retry-after", "61")],
            &[("retry-after", "7200")],
            &[("retry-after", "-5")],
            &[("retry-after", "soon")],
            &[("retry-after", "0")],
        ];
        let status = STATUSES.get(self.below(16) as usize).copied();
        let wait = self.below(3) == 0;
        let headers = if wait { WAITS[self.rng.below(8) as usize] } else { &[] };
        let is_network = status.is_none() && self.policy() == PolicyName::Classic;
        let network_code = is_network.then_some("ECONNREFUSED");
        Outcome { status, headers, network_code, ..Outcome::default() }
    }
}
