//! What a verdict does: the effects that [`Policy`](crate::Policy) lists.

use super::Pool;
use crate::blacklist::is_deadly;
use crate::cooldown::{Cooldown, Failure, Ladder};
use crate::credential::Refresh;
use crate::event::{EventKind, RefreshRequest, Rest};
use crate::provider::Suspect;
use crate::types::{Class, CredentialIndex, Inside, Lane, Moment, ProviderIndex, Scope, Verdict};

/// One attempt, as far as its verdict is about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt<'a> {
    pub(super) provider: ProviderIndex,
    pub(super) credential: CredentialIndex,
    pub(super) began: Inside,
    /// Tells the request apart whose attempt it was.
    pub(super) request: u64,
    pub(super) model: Option<&'a str>,
}

impl Pool {
    /// Does what a verdict says: the effects that [`Policy`] lists.
    pub(super) fn apply(
        &mut self,
        attempt: Attempt<'_>,
        is_proof: bool,
        verdict: &Verdict,
        now: Moment,
    ) {
        let Attempt { provider, credential, .. } = attempt;
        self.wake(provider, now.inside);
        if verdict.class == Class::Ok {
            return self.succeed(attempt, is_proof, now.inside);
        }
        if matches!(verdict.scope, Scope::Provider | Scope::Egress) {
            return self.pause(attempt, verdict, now);
        }
        // What has no lane is nothing that the credential did, unless a rule says that it is dead.
        let Some(lane) = verdict.class.lane().or(verdict.disable.then_some(Lane::Denied)) else {
            return;
        };
        let Some(failed) = self.credential_mut(provider, credential) else { return };
        if matches!(verdict.scope, Scope::Credential | Scope::Model | Scope::Account) {
            failed.counters.failures += 1;
        }
        if lane == Lane::Auth && self.asks_for_new_secret(attempt, verdict, now) {
            return;
        }
        match verdict.scope {
            Scope::Account if verdict.disable => self.disable_account(attempt, verdict, now),
            Scope::Credential if verdict.disable => {
                self.disable(provider, credential, verdict.class, now.inside);
            }
            Scope::Model if attempt.model.is_none() && lane == Lane::Denied => {}
            Scope::Credential if lane == Lane::Denied => {}
            Scope::Credential | Scope::Model | Scope::Account => {
                let counts = is_deadly(verdict)
                    && self.strike(provider, credential, attempt.began, now.inside);
                self.fail(attempt, lane, verdict, counts, now);
                if counts {
                    self.blacklist(provider, credential, verdict.class, now.inside);
                }
            }
            Scope::None | Scope::Request | Scope::Provider | Scope::Egress => {}
        }
    }

    /// Writes a failure to the record of its scope. `counts`: it counts towards the blacklist.
    fn fail(
        &mut self,
        attempt: Attempt<'_>,
        lane: Lane,
        verdict: &Verdict,
        counts: bool,
        now: Moment,
    ) {
        let Attempt { provider, credential, began, .. } = attempt;
        let (model, scope) = match (verdict.scope, attempt.model) {
            (Scope::Model, Some(model)) => (Some(model), Scope::Model),
            (Scope::Model, None) => (None, Scope::Credential),
            (scope, _) => (None, scope),
        };
        let jitter = if lane == Lane::Overload { self.jitter(provider) } else { 0.0 };
        let failure = Failure {
            class: verdict.class,
            // Nothing was said of when a model may be used that is not allowed.
            stated: verdict.wait_ms.filter(|_| lane != Lane::Denied),
            began,
            source: verdict.source(),
            jitter,
        };
        let Some(known) = self.providers.get_mut(provider.0 as usize) else { return };
        let has_moved = known.fail(credential, (scope, model), lane, failure, now);
        let ladder = *known.config.policy.terms(lane, false).ladder;
        if has_moved && let Some(health) = known.health_of(credential, scope, model) {
            let rest = rest_of(health.lane(lane), (scope, model), &ladder, now);
            self.refresh(provider, credential, now.inside);
            self.note_some(provider, credential, rest.map(EventKind::Cooldown));
        } else {
            self.refresh(provider, credential, now.inside);
        }
        self.suspect(attempt, (verdict, lane), model, counts, now);
    }

    /// Whether this failure and others like it are the provider's: then nobody rests for them, and the
    /// provider pauses.
    fn suspect(
        &mut self,
        attempt: Attempt<'_>,
        (verdict, lane): (&Verdict, Lane),
        model: Option<&str>,
        counts: bool,
        now: Moment,
    ) {
        let Attempt { provider, credential, request, .. } = attempt;
        let is_computed = verdict.wait_ms.is_none() && verdict.scope != Scope::Account;
        let is_suspect = is_computed && matches!(lane, Lane::Overload | Lane::Auth);
        let Some(known) = self.providers.get_mut(provider.0 as usize) else { return };
        let Some(rollback) = known.config.policy.rollback.filter(|_| is_suspect) else { return };
        let kind = (verdict.class, lane);
        let suspect = Suspect::new(kind, credential, model, request, now.inside);
        let suspect = suspect.striking(counts);
        let mut back = Vec::new();
        let acquitted = known.suspect(suspect, rollback, |credential| back.push(credential));
        if let Some(acquitted) = acquitted {
            for credential in back {
                self.note(provider, credential, EventKind::Recovered);
            }
            for credential in acquitted {
                self.bring_back(provider, credential, now.inside);
            }
            let shared = Verdict { scope: Scope::Provider, ..verdict.clone() };
            self.pause(attempt, &shared, now);
        }
    }

    /// Lets nobody go to the provider for a moment.
    fn pause(&mut self, attempt: Attempt<'_>, verdict: &Verdict, now: Moment) {
        let Attempt { provider, credential, began, .. } = attempt;
        let failure = Failure {
            class: verdict.class,
            stated: verdict.wait_ms,
            began,
            source: verdict.source(),
            jitter: self.jitter(provider),
        };
        let Some(known) = self.providers.get_mut(provider.0 as usize) else { return };
        let terms = known.config.policy.pause_terms();
        if known.pause.fail(failure, &terms, now) {
            let rest = rest_of(&known.pause, (verdict.scope, None), terms.ladder, now);
            self.note_some(provider, credential, rest.map(EventKind::Paused));
        }
    }

    /// By which part of itself the next computed wait is lengthened.
    fn jitter(&mut self, provider: ProviderIndex) -> f64 {
        let most = self.policy(provider).jitter;
        if most > 0.0 { self.spread.fraction() * most } else { 0.0 }
    }

    /// Whether the refusal of a secret waits for a new one, of a credential that can have one.
    fn asks_for_new_secret(
        &mut self,
        attempt: Attempt<'_>,
        verdict: &Verdict,
        now: Moment,
    ) -> bool {
        let Attempt { provider, credential, .. } = attempt;
        let Some(known) = self.credential_mut(provider, credential) else { return false };
        if !known.row.as_ref().is_some_and(|row| row.refreshable) {
            return false;
        }
        // It rests until the answer is there.
        let unproven = Verdict { scope: Scope::Credential, disable: false, ..verdict.clone() };
        match known.refresh {
            Refresh::No => {
                known.refresh = Refresh::Asked { disable: verdict.disable, began: attempt.began };
                self.refresh_requests.push(RefreshRequest { provider, credential });
                self.fail(attempt, Lane::Auth, &unproven, false, now);
            }
            // The answer is on its way; should it never come, each rest is followed by another.
            Refresh::Asked { .. } => {
                let again = Verdict { wait_ms: None, wait_from: None, ..unproven };
                self.fail(attempt, Lane::Auth, &again, false, now);
            }
            Refresh::Done => self.disable(provider, credential, verdict.class, now.inside),
        }
        true
    }

    pub(super) fn succeed(&mut self, attempt: Attempt<'_>, is_proof: bool, now: Inside) {
        let Attempt { provider, credential, began, model, .. } = attempt;
        let Some(known) = self.providers.get_mut(provider.0 as usize) else { return };
        if known.succeed(credential, model, began, is_proof) {
            self.refresh(provider, credential, now);
        }
    }

    /// Disables every credential of the quota group.
    fn disable_account(&mut self, attempt: Attempt<'_>, verdict: &Verdict, now: Moment) {
        let Attempt { provider, credential, .. } = attempt;
        let members = self.provider_at(provider).map_or_else(Vec::new, |known| {
            let group = known.get(credential).and_then(|known| known.group);
            let same = |&index: &CredentialIndex| {
                index != credential
                    && group.is_some()
                    && known.get(index).and_then(|other| other.group) == group
            };
            known.listed.iter().copied().filter(same).collect()
        });
        for member in members.into_iter().chain([credential]) {
            self.disable(provider, member, verdict.class, now.inside);
        }
    }

    pub(super) fn note_some(
        &mut self,
        provider: ProviderIndex,
        credential: CredentialIndex,
        kind: Option<EventKind>,
    ) {
        if let Some(kind) = kind {
            self.note(provider, credential, kind);
        }
    }
}

/// What is told of a rest. Another one may last longer.
fn rest_of(
    cooldown: &Cooldown,
    (scope, model): (Scope, Option<&str>),
    ladder: &Ladder,
    now: Moment,
) -> Option<Rest> {
    Some(Rest {
        class: cooldown.record().cause?,
        scope,
        model: model.map(Into::into),
        level: cooldown.level(ladder, now.inside),
        until: now.wall_of(cooldown.deadline()),
        stated: cooldown.record().stated,
        source: cooldown.source().clone(),
    })
}
