//! What happens between the requests, and the comparison of all that both pools answer.

use keyrota::CredentialIndex;

use crate::driver::{Driver, PROVIDERS, at, new_pool};
use crate::naive::Provider;
use crate::support::through_json;

impl Driver {
    pub fn edit(&mut self, provider: usize) {
        self.note(("edit", provider));
        for _ in 0..1 + self.below(2) {
            self.storage.edit(provider, &mut self.rng);
        }
        self.pool.invalidate(at(provider));
        self.naive.providers[provider].loaded = false;
    }

    pub fn reset(&mut self, provider: usize) {
        let Some(id) = self.some_id(provider) else { return };
        self.note(("reset", provider, &id));
        assert!(self.pool.reset(at(provider), self.index(provider, &id), self.wall()));
        self.naive.reset(provider, &id, self.now);
    }

    pub fn recover_quota(&mut self, provider: usize) {
        let Some(id) = self.some_id(provider) else { return };
        self.note(("recover quota", provider, &id));
        assert!(self.pool.recover_quota(at(provider), self.index(provider, &id), self.wall()));
        self.naive.recover_quota(provider, &id, self.now);
    }

    pub fn enable(&mut self, provider: usize) {
        let Some(id) = self.some_id(provider) else { return };
        self.note(("enable", provider, &id));
        assert!(self.pool.enable(at(provider), self.index(provider, &id), self.wall()));
        self.naive.enable(provider, &id, self.now);
    }

    /// The storage answers a disabling from long ago.
    pub fn confirm(&mut self) {
        let Some((provider, id)) = self.unanswered.pop() else { return };
        self.confirmed(provider, &id);
    }

    fn confirmed(&mut self, provider: usize, id: &str) {
        self.note(("confirmed", provider, id));
        self.storage.disable(provider, id);
        self.pool.confirm_disabled(at(provider), self.index(provider, id));
        self.naive.confirm(provider, id);
        if self.below(2) == 0 {
            self.pool.invalidate(at(provider));
            self.naive.providers[provider].loaded = false;
        }
    }

    /// Moves the caller's clock: a little, a lot, back, or to where something is due.
    pub fn pass_time(&mut self) {
        let step = match self.below(9) {
            0 | 8 => self.below(1_000) as i64,
            1 => self.below(120_000) as i64,
            2 => -(self.below(3_600_000) as i64),
            3 => self.below(1_000_000) as i64,
            _ => self.until_something_is_due(),
        };
        self.now += step;
        self.note(("time passes", step));
        if self.below(4) == 0 {
            self.note("sweep");
            self.pool.sweep(self.wall());
            self.naive.observe(self.now);
            self.naive.sweep();
        }
    }

    /// The time until a moment at which something changes, or a millisecond beside it.
    fn until_something_is_due(&mut self) -> i64 {
        let naive = &self.naive;
        let ttl = naive.config.lease_ttl.0 as i64;
        let mut due: Vec<i64> = naive.leases.iter().map(|lease| lease.began + ttl).collect();
        due.extend(naive.swept.map(|swept| swept + naive.config.sweep_every.0 as i64));
        if let Some(ttl) = naive.config.affinity.ttl {
            due.extend(naive.sessions.iter().map(|session| session.used + ttl.0 as i64));
        }
        let forget = naive.config.provider.policy.limit.forget_after.0 as i64;
        for window in naive.providers.iter().flat_map(Provider::windows) {
            due.extend([window.until, window.until, window.until + forget]);
            due.extend([window.opened + 2_000, window.opened + 2_000]);
            due.extend(window.probe_at);
            due.extend(window.probe.map(|(_, until)| until));
        }
        if let Some(home) = naive.config.provider.policy.home {
            due.extend(naive.sessions.iter().map(|session| session.home_used + home.0 as i64));
        }
        let suspects = naive.providers.iter().flat_map(|provider| &provider.suspects);
        due.extend(suspects.map(|suspect| suspect.at + 5_000));
        let inside = naive.peek(self.now);
        due.retain(|&moment| moment > inside);
        due.sort_unstable();
        // Half of the time it is one of the next few.
        let within = if self.below(2) == 0 { due.len().min(3) } else { due.len() };
        let at = self.below(within as u64) as usize;
        due.get(at).map_or(1, |moment| moment - inside) + self.below(3) as i64 - 1
    }

    /// Another process, or the same one, goes on from a snapshot that went through JSON.
    pub fn go_on_from_a_snapshot(&mut self) {
        let snapshot = self.pool.snapshot(self.wall());
        self.naive.observe(self.now);
        let read = through_json(&snapshot);
        assert_eq!(read, snapshot, "{}", self.context());
        self.now += self.below(100_000) as i64 - 30_000;
        let kind = self.below(3);
        self.note(("go on from a snapshot", kind));
        if kind == 0 {
            self.pool.restore(&read, self.wall());
            self.naive.resume(self.now);
        } else {
            self.naive.restart(self.now);
            self.storage.forget_secrets();
            (self.leases, self.generations) = (Vec::new(), Vec::new());
            self.pool = new_pool(&self.config);
            if kind == 1 {
                self.pool.restore(&read, self.wall());
                (0..PROVIDERS).for_each(|provider| self.load(provider));
            } else {
                (0..PROVIDERS).for_each(|provider| self.load(provider));
                self.pool.restore(&read, self.wall());
            }
        }
        self.learn_numbers();
        // Who came back meanwhile is told in the order of the calls; only their state must be the same.
        self.pool.take_events();
        self.naive.events.clear();
        self.refreshing.clear();
    }

    /// The pool's numbers of the credentials are those of the order in which it met them.
    pub fn learn_numbers(&mut self) {
        for provider in 0..PROVIDERS {
            let mut number = 0;
            while let Some(id) = self.pool.credential_id(at(provider), CredentialIndex(number)) {
                self.naive.credential(provider, id).index = number;
                number += 1;
            }
        }
    }

    pub fn compare(&mut self, provider: usize) {
        let mut status = self.pool.status(at(provider), self.wall());
        for row in &mut status {
            row.models.sort_by(|a, b| a.model.cmp(&b.model));
        }
        let expected = self.naive.status(provider, self.now);
        assert_eq!(status, expected, "the status: {}", self.context());
        assert_eq!(self.pool.sessions(), self.naive.sessions.len(), "{}", self.context());

        let mut events = std::mem::take(&mut self.events);
        events.extend(self.pool.take_events());
        let told = events.iter().map(|event| {
            let provider = event.provider.0 as usize;
            (provider, self.id(provider, event.credential), event.kind.clone())
        });
        let told = sorted(told.collect());
        let expected = sorted(std::mem::take(&mut self.naive.events));
        assert_eq!(told, expected, "the events: {}", self.context());

        let refreshes = self.pool.take_refresh_requests();
        let refreshes = refreshes.iter().map(|request| {
            let provider = request.provider.0 as usize;
            (provider, self.id(provider, request.credential))
        });
        let refreshes = sorted(refreshes.collect());
        let expected = sorted(std::mem::take(&mut self.naive.refreshes));
        assert_eq!(refreshes, expected, "the questions for a new secret: {}", self.context());
        self.refreshing.extend(refreshes);

        let requests = self.pool.take_disable_requests();
        let requests = requests.iter().map(|request| {
            let (provider, id) = (request.provider.0 as usize, request.credential);
            (provider, self.id(provider, id), request.why)
        });
        let requests = sorted(requests.collect());
        let expected = sorted(std::mem::take(&mut self.naive.requests));
        assert_eq!(requests, expected, "the disablings to be kept: {}", self.context());
        for (provider, id, _) in requests {
            match self.below(4) {
                0 | 1 => self.confirmed(provider, &id),
                2 => self.unanswered.push((provider, id)),
                _ => {}
            }
        }
    }
}

fn sorted<T: std::fmt::Debug>(mut told: Vec<T>) -> Vec<T> {
    told.sort_by_key(|item| format!("{item:?}"));
    told
}
