//! The pool as plain lists and loops: slow, and easy to see through.

use std::collections::{BTreeMap, BTreeSet};

use keyrota::{Class, Config, CredentialIndex, EventKind, Millis, Refusal, Row};

use crate::credential::Credential;
use crate::turns::Turns;

/// What a request asks for.
#[derive(Clone, Debug, Default)]
pub struct Ask {
    pub session: Option<u64>,
    pub model: Option<&'static str>,
    pub tried: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Lease {
    pub number: u64,
    pub provider: usize,
    pub id: String,
    pub epoch: u32,
    pub began: i64,
}

#[derive(Clone, Debug)]
pub struct Session {
    pub provider: usize,
    pub session: u64,
    pub id: String,
    pub used: i64,
}

#[derive(Default)]
pub struct Provider {
    pub loaded: bool,
    pub credentials: BTreeMap<String, Credential>,
    /// The ids that have a row, in the order of the rows.
    pub listed: Vec<String>,
    pub tiers: BTreeMap<i32, Turns>,
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
    pub leases: Vec<Lease>,
    leases_begun: u64,
    pub events: Vec<(usize, String, EventKind)>,
    pub requests: Vec<(usize, String, Class)>,
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
            leases: Vec::new(),
            leases_begun: 0,
            events: Vec::new(),
            requests: Vec::new(),
        }
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
        let (overdue, running) = self
            .leases
            .drain(..)
            .partition(|lease| lease.began + self.config.lease_ttl.0 as i64 <= self.inside);
        self.leases = running;
        for Lease { provider, id, .. } in overdue {
            self.events.push((provider, id, EventKind::LeaseExpired));
        }
    }

    pub fn sweep(&mut self) {
        self.swept = Some(self.inside);
        let now = self.inside;
        let config = &self.config;
        self.sessions.retain(|session| is_alive(config, session, now));
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
        let now = self.inside;
        for (id, credential) in &mut self.providers[provider].credentials {
            if credential.resting && !credential.rests(now) {
                credential.resting = false;
                self.events.push((provider, id.clone(), EventKind::Recovered));
            }
        }
        self.attend(provider);
    }

    /// Tells the strategies who is available.
    pub fn attend(&mut self, provider: usize) {
        let now = self.inside;
        let Provider { credentials, tiers, listed, .. } = &mut self.providers[provider];
        if listed.is_empty() {
            return; // rows are still to come, and the tiers are those of another process
        }
        for turns in tiers.values_mut() {
            let available: BTreeSet<String> =
                turns.ids().filter(|id| credentials[*id].is_available(now)).cloned().collect();
            turns.attend(&available);
        }
    }

    /// Notes that the credential rests, or no more; answers whether that ended a rest.
    pub fn settle(&mut self, provider: usize, id: &str) -> bool {
        let now = self.inside;
        let mut ended = false;
        if let Some(credential) = self.providers[provider].credentials.get_mut(id) {
            let resting = credential.is_on() && credential.rests(now);
            ended = credential.resting && !resting && credential.is_on();
            credential.resting = resting;
        }
        self.attend(provider);
        ended
    }

    /// The credentials of the highest usable priority that may serve the request, in order.
    pub fn eligible(&self, provider: usize, ask: &Ask, now: i64) -> Option<(i32, Vec<String>)> {
        let Provider { credentials, tiers, .. } = &self.providers[provider];
        tiers.iter().rev().find_map(|(&priority, turns)| {
            let eligible: Vec<String> = turns
                .ids()
                .filter(|id| {
                    credentials[*id].is_available(now)
                        && credentials[*id].serves(ask.model)
                        && !ask.tried.contains(id)
                })
                .cloned()
                .collect();
            (!eligible.is_empty()).then_some((priority, eligible))
        })
    }

    /// Whom the request may get, or why nobody.
    pub fn choices(&self, provider: usize, ask: &Ask) -> Result<Vec<String>, Refusal> {
        if !self.providers[provider].loaded {
            return Err(Refusal::NotLoaded);
        }
        let Some((priority, eligible)) = self.eligible(provider, ask, self.inside) else {
            return Err(Refusal::NoneAvailable { retry_after: self.retry_after(provider, ask) });
        };
        if let Some(home) = self.home(provider, ask).filter(|home| eligible.contains(home)) {
            return Ok(vec![home]);
        }
        let turns = &self.providers[provider].tiers[&priority];
        let mut in_flight = BTreeMap::new();
        for lease in self.leases.iter().filter(|lease| lease.provider == provider) {
            *in_flight.entry(lease.id.clone()).or_insert(0) += 1;
        }
        Ok(turns.choices(&eligible, &in_flight, ask.session))
    }

    fn retry_after(&self, provider: usize, ask: &Ask) -> Option<Millis> {
        let credentials = &self.providers[provider].credentials;
        let waiting = credentials.iter().filter(|(id, credential)| {
            credential.is_on() && credential.serves(ask.model) && !ask.tried.contains(id)
        });
        let waits = waiting.filter_map(|(_, credential)| credential.longest());
        waits.map(|window| Millis((window.until - self.inside) as u64)).min()
    }

    /// The credential that the session is on.
    pub fn home(&self, provider: usize, ask: &Ask) -> Option<String> {
        let session = ask.session.filter(|_| !self.config.provider.strategy.is_affine())?;
        self.binding(provider, session).map(|binding| binding.id.clone())
    }

    pub fn binding(&self, provider: usize, session: u64) -> Option<&Session> {
        let same = |known: &&Session| known.provider == provider && known.session == session;
        self.sessions.iter().find(same).filter(|known| is_alive(&self.config, known, self.inside))
    }

    /// Takes in which of the choices the request got.
    pub fn choose(&mut self, provider: usize, ask: &Ask, chosen: &str, by_strategy: bool) {
        let (priority, eligible) = self.eligible(provider, ask, self.inside).expect("was chosen");
        let home = self.home(provider, ask);
        let known = &mut self.providers[provider];
        let turns = known.tiers.get_mut(&priority).expect("was chosen from");
        if by_strategy && home.as_ref().is_none_or(|home| !eligible.contains(home)) {
            turns.count(chosen, &eligible);
        } else {
            turns.charge(chosen);
        }
        if let Some(from) = home.filter(|home| home != chosen) {
            let from = CredentialIndex(known.credentials[&from].index);
            self.events.push((provider, chosen.to_owned(), EventKind::Rebound { from }));
        }
        if let Some(session) = ask.session.filter(|_| !self.config.provider.strategy.is_affine()) {
            self.bind(provider, session, chosen);
        }
    }

    fn bind(&mut self, provider: usize, session: u64, id: &str) {
        self.sessions.retain(|known| (known.provider, known.session) != (provider, session));
        let (id, used) = (id.to_owned(), self.inside);
        self.sessions.push(Session { provider, session, id, used });
        let surplus = self.sessions.len().saturating_sub(self.config.affinity.capacity);
        self.sessions.drain(..surplus);
    }

    pub fn count_pick(&mut self, provider: usize, id: &str, now: i64) {
        let credential = self.credential(provider, id);
        credential.picks += 1;
        credential.last_used = Some(now);
    }

    /// Begins a lease and answers its number.
    pub fn lease(&mut self, provider: usize, id: &str) -> u64 {
        let (id, began, number) = (id.to_owned(), self.inside, self.leases_begun);
        let epoch = self.credential(provider, &id).epoch;
        self.leases_begun += 1;
        self.leases.push(Lease { number, provider, id, epoch, began });
        number
    }

    pub fn credential(&mut self, provider: usize, id: &str) -> &mut Credential {
        self.providers[provider].credentials.get_mut(id).expect("a credential of the model")
    }

    /// Takes in rows; answers which were passed over, and counts as events who was brought back.
    pub fn load(&mut self, provider: usize, rows: &[Row]) -> Vec<bool> {
        self.wake(provider);
        for credential in self.providers[provider].credentials.values_mut() {
            credential.row = None;
        }
        let mut listed: Vec<String> = Vec::new();
        let accepted = rows.iter().map(|row| {
            let id = row.id.to_string();
            let elsewhere = self.providers.iter().enumerate().any(|(other, known)| {
                other != provider
                    && known.loaded
                    && known.credentials.get(&id).is_some_and(|c| c.row.is_some())
            });
            if elsewhere || listed.contains(&id) {
                return false;
            }
            let credential = self.providers[provider].credentials.entry(id.clone()).or_default();
            if credential.adopt(row) {
                self.events.push((provider, id.clone(), EventKind::Enabled));
            }
            listed.push(id);
            true
        });
        let accepted = accepted.collect();
        self.providers[provider].listed = listed;
        self.providers[provider].loaded = true;
        self.arrange(provider);
        accepted
    }

    /// Seats the rows by priority, then `order`, then as they came.
    fn arrange(&mut self, provider: usize) {
        let now = self.inside;
        let strategy = self.config.provider.strategy;
        let Provider { credentials, listed, tiers, .. } = &mut self.providers[provider];
        let mut seated: BTreeMap<i32, Vec<(i32, String, u64)>> = BTreeMap::new();
        for id in listed.iter() {
            let row = credentials[id].row.as_ref().expect("it is listed");
            let seat = (row.order, id.clone(), row.weight.shares());
            seated.entry(row.priority).or_default().push(seat);
        }
        if seated.is_empty() {
            tiers.values_mut().for_each(|turns| turns.rearrange(Vec::new()));
        } else {
            tiers.retain(|priority, _| seated.contains_key(priority));
        }
        for (priority, mut seats) in seated {
            seats.sort_by_key(|seat| seat.0);
            let members = seats.into_iter().map(|(_, id, weight)| (id, weight)).collect();
            tiers.entry(priority).or_insert_with(|| Turns::new(strategy)).rearrange(members);
        }
        for credential in credentials.values_mut() {
            credential.resting = credential.is_on() && credential.rests(now);
        }
        self.attend(provider);
    }

    /// The pool goes on from a snapshot of itself: leases are gone, and its rows are read again.
    pub fn resume(&mut self, now: i64) {
        self.observe(now);
        self.leases.clear();
        self.swept = Some(self.inside);
        for provider in 0..self.providers.len() {
            for credential in self.providers[provider].credentials.values_mut() {
                credential.resting = false;
                if let Some(row) = credential.row.take() {
                    credential.adopt(&row);
                }
            }
            if self.providers[provider].loaded {
                self.arrange(provider);
            }
        }
    }

    /// The process ends and another goes on from a snapshot: leases are gone, rows are not loaded.
    pub fn restart(&mut self, now: i64) {
        self.observe(now);
        self.leases.clear();
        self.swept = Some(self.inside);
        for provider in &mut self.providers {
            provider.loaded = false;
            provider.listed.clear();
            for credential in provider.credentials.values_mut() {
                (credential.row, credential.resting) = (None, false);
            }
        }
    }
}

fn is_alive(config: &Config, session: &Session, now: i64) -> bool {
    config.affinity.ttl.is_none_or(|ttl| session.used + ttl.0 as i64 > now)
}
