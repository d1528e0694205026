//! Who rests, why, and until when: every record that has a say in a credential.

use keyrota::{Class, EventKind, Lane, Scope};

use crate::naive::{Lease, Naive};
use crate::window::{Hold, Rules, Window};

/// What a record is about.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Subject {
    Whole(String),
    /// A quota group, as that credential of it sees it.
    Group(String, String),
    Model(String, String),
    Pause,
}

/// A record that keeps a credential out.
#[derive(Clone, Debug)]
pub struct Held {
    pub hold: Hold,
    pub subject: Subject,
    pub window: Window,
}

impl Held {
    pub fn scope(&self) -> Scope {
        match self.subject {
            Subject::Whole(_) => Scope::Credential,
            Subject::Group(..) => Scope::Account,
            Subject::Model(..) => Scope::Model,
            Subject::Pause => Scope::Provider,
        }
    }

    pub fn model(&self) -> Option<String> {
        match &self.subject {
            Subject::Model(_, model) => Some(model.clone()),
            _ => None,
        }
    }
}

impl Naive {
    /// Every record that has a say in whether the credential serves a request for that model.
    pub fn subjects(&self, provider: usize, id: &str, model: Option<&str>) -> Vec<Subject> {
        let credential = &self.providers[provider].credentials[id];
        let group = credential.group().map(|name| Subject::Group(name, id.to_owned()));
        let model = model.map(|model| Subject::Model(id.to_owned(), model.to_owned()));
        [Some(Subject::Whole(id.to_owned())), group, model].into_iter().flatten().collect()
    }

    pub fn window(&self, provider: usize, subject: &Subject, lane: Lane) -> Option<&Window> {
        let known = &self.providers[provider];
        let lanes = match subject {
            Subject::Whole(id) => &known.credentials.get(id)?.lanes,
            Subject::Group(name, _) => known.groups.get(name)?,
            Subject::Model(id, model) => known.credentials.get(id)?.models.get(model)?,
            Subject::Pause if lane == Lane::Limit => return known.pause.as_ref(),
            Subject::Pause => return None,
        };
        lanes[lane as usize].as_ref()
    }

    /// Where the record is kept. The provider's only one is on the first lane.
    pub fn slot(&mut self, provider: usize, subject: &Subject, lane: Lane) -> &mut Option<Window> {
        let lanes = match subject {
            Subject::Whole(id) => &mut self.credential(provider, id).lanes,
            Subject::Model(id, model) => {
                let models = &mut self.credential(provider, id).models;
                models.entry(model.clone()).or_default()
            }
            Subject::Group(name, _) => {
                self.providers[provider].groups.entry(name.clone()).or_default()
            }
            Subject::Pause => return &mut self.providers[provider].pause,
        };
        &mut lanes[lane as usize]
    }

    pub fn rules(&self, provider: usize, subject: &Subject, lane: Lane) -> Rules {
        let policy = &self.config.provider.policy;
        let is_alone = lane == Lane::Overload
            && matches!(subject, Subject::Whole(id) | Subject::Model(id, _) | Subject::Group(_, id)
                if self.providers[provider].alone.as_ref() == Some(id));
        let (ladder, jitter) = match (subject, lane) {
            (Subject::Pause, _) => (policy.pause, policy.jitter),
            (_, Lane::Overload) => (policy.overload, policy.jitter),
            (_, Lane::Limit | Lane::Auth) => (policy.limit, 0.0),
            (_, Lane::Denied) => (policy.denied, 0.0),
        };
        Rules {
            ladder,
            longest: policy.alone.filter(|_| is_alone).map(|longest| longest.0 as i64),
            probing: policy.probing,
            probed_from: if *subject == Subject::Pause { u32::MAX } else { 2 },
            jitter,
        }
    }

    /// Looks whether exactly one of the listed credentials is on: its rests may be shorter for it.
    pub fn recount(&mut self, provider: usize) {
        let known = &mut self.providers[provider];
        let on = known.credentials.iter().filter(|(_, credential)| credential.is_on());
        let on: Vec<_> = on.map(|(id, _)| id.clone()).collect();
        let alone = if let [only] = &on[..] { Some(only.clone()) } else { None };
        let before = std::mem::replace(&mut known.alone, alone.clone());
        if before != alone {
            let both: Vec<_> = before.into_iter().chain(alone).collect();
            self.settle(provider, &both, false);
        }
    }

    /// Everything that keeps the credential out, of those subjects.
    pub fn holds(&self, provider: usize, subjects: &[Subject], now: i64) -> Vec<Held> {
        let mut holds = Vec::new();
        for subject in subjects {
            for &lane in Lane::ALL {
                let Some(window) = self.window(provider, subject, lane) else { continue };
                if let Some(hold) = window.hold(&self.rules(provider, subject, lane), now) {
                    holds.push(Held { hold, subject: subject.clone(), window: window.clone() });
                }
            }
        }
        holds
    }

    /// What keeps the credential out for longest; of equals, the first.
    pub fn held(&self, provider: usize, id: &str, model: Option<&str>, now: i64) -> Option<Held> {
        longest(self.holds(provider, &self.subjects(provider, id, model), now))
    }

    pub fn paused(&self, provider: usize, now: i64) -> Option<Held> {
        self.holds(provider, &[Subject::Pause], now).pop()
    }

    pub fn rests(&self, provider: usize, id: &str, now: i64) -> bool {
        self.held(provider, id, None, now).is_some()
    }

    pub fn is_available(&self, provider: usize, id: &str, model: Option<&str>, now: i64) -> bool {
        self.providers[provider].credentials[id].is_on()
            && self.held(provider, id, model, now).is_none()
            && self.has_own_room(provider, id, now)
    }

    /// Whether only probes of ended rests are waited for.
    pub fn awaits_probes(&self, provider: usize, id: &str, model: Option<&str>, now: i64) -> bool {
        let holds = self.holds(provider, &self.subjects(provider, id, model), now);
        self.providers[provider].credentials[id].is_on()
            && holds.iter().all(|held| held.hold.probing)
    }

    /// The highest level of one subject.
    pub fn level(&self, provider: usize, subject: &Subject, now: i64) -> u32 {
        let levels = Lane::ALL.iter().filter_map(|&lane| {
            let window = self.window(provider, subject, lane)?;
            let rules = self.rules(provider, subject, lane);
            (!window.is_forgotten(&rules, now)).then_some(window.level)
        });
        levels.max().unwrap_or(0)
    }

    /// When the last of its rests ends, or ended, and it waits for no probe.
    pub fn recovers_at(&self, provider: usize, id: &str, model: Option<&str>) -> Option<i64> {
        let subjects = self.subjects(provider, id, model);
        let ends = subjects.iter().flat_map(|subject| {
            Lane::ALL.iter().filter_map(|&lane| {
                let window = self.window(provider, subject, lane)?;
                Some(window.end(&self.rules(provider, subject, lane)))
            })
        });
        let awaited = self.held(provider, id, None, self.inside).map(|held| held.hold.until);
        ends.max().max(awaited)
    }

    /// Clears the records of a subject that `which` names; answers whether there were any.
    pub fn clear(
        &mut self,
        provider: usize,
        subject: &Subject,
        which: impl Fn(&Window, &Rules) -> bool,
    ) -> bool {
        let mut any = false;
        for &lane in Lane::ALL {
            let rules = self.rules(provider, subject, lane);
            let Some(window) = self.window(provider, subject, lane) else { continue };
            if which(window, &rules) {
                *self.slot(provider, subject, lane) = None;
                any = true;
            }
        }
        any
    }

    /// A lease begins that uses the credential: it is the probe of all that is due. Answers whether
    /// there was anything.
    pub fn begin_probes(
        &mut self,
        provider: usize,
        id: &str,
        model: Option<&str>,
        lease: u64,
    ) -> bool {
        let now = self.inside;
        let mut any = false;
        let mut subjects = self.subjects(provider, id, model);
        subjects.push(Subject::Pause);
        for subject in subjects {
            for &lane in Lane::ALL {
                let rules = self.rules(provider, &subject, lane);
                let Some(window) = self.window(provider, &subject, lane) else { continue };
                let is_awaited = window.probe.is_some_and(|(_, until)| now < until);
                if window.is_due(&rules, now) && !is_awaited {
                    let situation = match (&subject, now < window.end(&rules)) {
                        (Subject::Pause, _) => "a probe of a pause",
                        (_, true) => "a probe of a long wait",
                        (_, false) => "a probe of an ended rest",
                    };
                    self.meet(situation);
                    let ttl = rules.probing.expect("it is due").ttl.0 as i64;
                    let slot = self.slot(provider, &subject, lane);
                    slot.as_mut().expect("it is due").probe = Some((lease, now + ttl));
                    any = true;
                }
            }
        }
        any
    }

    /// A lease ended: nobody waits for it.
    pub fn end_probes(&mut self, lease: &Lease) {
        let (provider, lease, is_probe) = (lease.provider, lease.number, lease.is_probe);
        if !is_probe {
            return self.attend(provider);
        }
        self.wake(provider);
        for window in self.providers[provider].windows_mut() {
            window.probe = window.probe.filter(|&(number, _)| number != lease);
        }
        let all: Vec<String> = self.providers[provider].credentials.keys().cloned().collect();
        self.settle(provider, &all, false);
    }

    /// Notes whether each of them rests, or no more; tells of those whose rest has just ended, if
    /// asked to.
    pub fn settle(&mut self, provider: usize, ids: &[String], tells: bool) {
        let now = self.inside;
        for id in ids {
            let rests = self.rests(provider, id, now);
            let credential = self.credential(provider, id);
            let is_on = credential.is_on();
            let ended = credential.resting && !rests && is_on;
            credential.resting = is_on && rests;
            if ended && tells {
                self.events.push((provider, id.clone(), EventKind::Recovered));
            }
        }
        self.attend(provider);
    }

    /// The credential, and all that are listed with it in its quota group.
    pub fn account(&self, provider: usize, id: &str) -> Vec<String> {
        let known = &self.providers[provider].credentials;
        let group = known[id].group();
        let is_member =
            |other: &String| group.is_some() && known[other].group() == group || other == id;
        known.keys().filter(|other| is_member(other)).cloned().collect()
    }
}

pub fn longest(holds: Vec<Held>) -> Option<Held> {
    holds.into_iter().reduce(|a, b| if b.hold.until > a.hold.until { b } else { a })
}

pub fn is_by_quota(window: &Window) -> bool {
    window.cause == Class::QuotaExhausted
}
