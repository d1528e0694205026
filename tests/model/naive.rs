//! The pool as plain lists and loops: slow, and easy to see through.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use keyrota::{AffinityConfig, ChoiceReason, Class, Config, EventKind, PolicyName};

use crate::credential::Credential;
use crate::suspects::Suspect;
use crate::turns::Turns;
use crate::window::{Lanes, Window};

/// What a request asks for.
#[derive(Clone, Debug, Default)]
pub struct Ask {
    pub session: Option<u64>,
    pub model: Option<&'static str>,
    pub tried: Vec<String>,
    /// The priority that it has come down to.
    pub floor: Option<i32>,
    /// The response that it continues.
    pub continues: Option<u64>,
    pub number: u32,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum LeaseKind {
    Ordinary,
    /// Nobody could serve.
    FailsOpen,
    /// It was asked for by name.
    Probe,
}

#[derive(Clone, Debug)]
pub struct Lease {
    pub number: u64,
    pub provider: usize,
    pub id: String,
    pub epoch: u32,
    pub began: i64,
    pub kind: LeaseKind,
    /// Whether it was the probe of anything.
    pub is_probe: bool,
    request: u32,
}

impl Lease {
    /// What tells its request apart.
    pub fn request(&self) -> String {
        match self.request {
            0 => format!("lease {}", self.number),
            number => format!("request {number}"),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Session {
    pub provider: usize,
    pub session: u64,
    pub home: String,
    /// Where it is while its home rests.
    pub lodging: Option<String>,
    pub home_used: i64,
    pub used: i64,
}

impl Session {
    /// The credential that it got last.
    pub fn place(&self) -> &str {
        self.lodging.as_ref().unwrap_or(&self.home)
    }
}

/// Which credential made a response.
#[derive(Clone, Debug)]
pub struct Response {
    pub provider: usize,
    pub response: u64,
    pub id: String,
    pub made: i64,
}

#[derive(Default)]
pub struct Provider {
    pub loaded: bool,
    pub credentials: BTreeMap<String, Credential>,
    /// The ids that have a row, in the order of the rows.
    pub listed: Vec<String>,
    pub tiers: BTreeMap<i32, Turns>,
    pub groups: BTreeMap<String, Lanes>,
    pub pause: Option<Window>,
    /// The only one that is on, if there is but one.
    pub alone: Option<String>,
    /// Failures that may be the provider's, the newest last.
    pub suspects: Vec<Suspect>,
}

impl Provider {
    /// Everything that anyone rests for.
    pub fn windows(&self) -> impl Iterator<Item = &Window> {
        let own = self
            .credentials
            .values()
            .flat_map(|known| known.lanes.iter().chain(known.models.values().flatten()).flatten());
        own.chain(self.groups.values().flatten().flatten()).chain(&self.pause)
    }

    pub fn windows_mut(&mut self) -> impl Iterator<Item = &mut Window> {
        let own = self.credentials.values_mut().flat_map(|known| {
            known.lanes.iter_mut().chain(known.models.values_mut().flatten()).flatten()
        });
        own.chain(self.groups.values_mut().flatten().flatten()).chain(&mut self.pause)
    }
}

pub struct Naive {
    pub config: Config,
    /// What the caller's clock last showed.
    wall: Option<i64>,
    /// The time that has passed forwards.
    pub inside: i64,
    pub swept: Option<i64>,
    pub providers: Vec<Provider>,
    /// The last one used comes last.
    pub sessions: Vec<Session>,
    /// The last one made comes last.
    pub responses: Vec<Response>,
    pub leases: Vec<Lease>,
    leases_begun: u64,
    pub events: Vec<(usize, String, EventKind)>,
    pub requests: Vec<(usize, String, Class)>,
    /// Whom the host is asked for a new secret for.
    pub refreshes: Vec<(usize, String)>,
    /// What the pool drew for waits that are lengthened at random, in order.
    pub drawn: VecDeque<i64>,
    /// How many reports of sessions there were.
    pub reports: u64,
    /// How often the rarer situations came about.
    pub met: BTreeMap<&'static str, u32>,
}

impl Naive {
    pub fn new(config: Config, providers: usize) -> Self {
        Self {
            config,
            wall: None,
            inside: 0,
            swept: None,
            providers: (0..providers).map(|_| Provider::default()).collect(),
            sessions: Vec::new(),
            responses: Vec::new(),
            leases: Vec::new(),
            leases_begun: 0,
            events: Vec::new(),
            requests: Vec::new(),
            refreshes: Vec::new(),
            drawn: VecDeque::new(),
            reports: 0,
            met: BTreeMap::new(),
        }
    }

    pub fn meet(&mut self, situation: &'static str) {
        *self.met.entry(situation).or_insert(0) += 1;
    }

    pub fn is_adaptive(&self) -> bool {
        self.config.provider.policy.name == PolicyName::Adaptive
    }

    /// The pool's time when the caller's clock shows `now`: only steps forwards count.
    pub fn peek(&self, now: i64) -> i64 {
        self.wall.map_or(now, |before| self.inside + (now - before).max(0))
    }

    pub fn observe(&mut self, now: i64) {
        self.inside = self.peek(now);
        self.wall = Some(now);
    }

    /// What every call begins with.
    pub fn begin(&mut self, now: i64) {
        self.observe(now);
        let due = *self.swept.get_or_insert(self.inside) + self.config.sweep_every.0 as i64;
        if due <= self.inside {
            self.sweep();
        }
        let (overdue, running): (Vec<_>, Vec<_>) = self
            .leases
            .drain(..)
            .partition(|lease| lease.began + self.config.lease_ttl.0 as i64 <= self.inside);
        self.leases = running;
        for lease in overdue {
            self.end_probes(&lease);
            self.events.push((lease.provider, lease.id, EventKind::LeaseExpired));
        }
    }

    pub fn sweep(&mut self) {
        self.swept = Some(self.inside);
        let now = self.inside;
        let config = &self.config;
        self.sessions.retain(|session| is_alive(&config.affinity, session.used, now));
        self.responses.retain(|response| is_alive(&config.responses, response.made, now));
        let mut asked = Vec::new();
        for (provider, known) in self.providers.iter().enumerate() {
            for (id, credential) in &known.credentials {
                let is_gone = known.loaded && credential.row.is_none();
                if let Some((why, false)) = credential.off.filter(|_| !is_gone) {
                    asked.push((provider, id.clone(), why));
                }
            }
        }
        asked.into_iter().for_each(|request| self.request(request));
    }

    /// Asks the storage to keep a credential disabled, once however often.
    pub fn request(&mut self, request: (usize, String, Class)) {
        self.requests.retain(|known| *known != request);
        self.requests.push(request);
    }

    /// Those whose rest is over come back.
    pub fn wake(&mut self, provider: usize) {
        let credentials = self.providers[provider].credentials.iter();
        let resting = credentials.filter(|(_, known)| known.resting).map(|(id, _)| id.clone());
        let resting: Vec<String> = resting.collect();
        self.settle(provider, &resting, true);
    }

    /// Tells the strategies who is available.
    pub fn attend(&mut self, provider: usize) {
        let now = self.inside;
        if self.providers[provider].listed.is_empty() {
            return; // rows are still to come, and the tiers are those of another process
        }
        let mut tiers = std::mem::take(&mut self.providers[provider].tiers);
        for turns in tiers.values_mut() {
            let available: BTreeSet<String> = turns
                .ids()
                .filter(|id| self.is_available(provider, id, None, now))
                .cloned()
                .collect();
            turns.attend(&available);
        }
        self.providers[provider].tiers = tiers;
    }

    pub fn count_pick(&mut self, provider: usize, id: &str, now: i64) {
        let credential = self.credential(provider, id);
        credential.picks += 1;
        credential.last_used = Some(now);
    }

    /// Whether nothing has ever happened that time could change.
    pub fn is_untouched(&self, provider: usize) -> bool {
        self.providers[provider].windows().next().is_none()
    }

    /// Begins a lease and answers its number.
    pub fn lease(&mut self, provider: usize, id: &str, ask: &Ask, reason: ChoiceReason) -> u64 {
        let (id, began, number) = (id.to_owned(), self.inside, self.leases_begun);
        let epoch = self.credential(provider, &id).epoch;
        self.leases_begun += 1;
        let kind = match reason {
            ChoiceReason::FailOpen => LeaseKind::FailsOpen,
            ChoiceReason::Probe => LeaseKind::Probe,
            _ => LeaseKind::Ordinary,
        };
        let is_probe = self.begin_probes(provider, &id, ask.model, number);
        let request = ask.number;
        self.leases.push(Lease {
            number,
            provider,
            id: id.clone(),
            epoch,
            began,
            kind,
            is_probe,
            request,
        });
        let touched = self.account(provider, &id);
        self.settle(provider, &touched, false);
        number
    }

    pub fn credential(&mut self, provider: usize, id: &str) -> &mut Credential {
        self.providers[provider].credentials.get_mut(id).expect("a credential of the model")
    }
}

/// Whether what was used then is still remembered.
pub fn is_alive(config: &AffinityConfig, used: i64, now: i64) -> bool {
    config.ttl.is_none_or(|ttl| used + ttl.0 as i64 > now)
}
