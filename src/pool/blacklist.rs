//! The blacklist: who gets on it, who is to be tried again, and who comes back.

use super::Pool;
use super::effects::Attempt;
use crate::blacklist::Strikes;
use crate::credential::{Disabled, Kind};
use crate::event::{EventKind, ValidateRequest};
use crate::types::{Class, CredentialIndex, Inside, Moment, ProviderIndex, Wall};

impl Pool {
    /// The blacklisted credentials that are to be tried now: lease each [by name](Self::acquire_probe),
    /// make an attempt and report it. A success brings the credential back with clean health.
    ///
    /// An API key is in the list once every [`validate_every`](crate::Blacklist::validate_every), and not
    /// while such a lease on it is open. A subscription never is: [`recover`](Self::recover) brings it back.
    pub fn take_validate_requests(&mut self) -> Vec<ValidateRequest> {
        std::mem::take(&mut self.validate_requests)
    }

    /// Brings a credential back by a person's word: takes it off the blacklist, forgets the failures that
    /// were counted, ends its rests, its models' and its quota group's too, and lifts a disabling by a
    /// verdict. What a person switched off stays off. Answers false when there is no such credential.
    pub fn recover(
        &mut self,
        provider: ProviderIndex,
        credential: CredentialIndex,
        now: Wall,
    ) -> bool {
        let moment = self.begin(now);
        self.wake(provider, moment.inside);
        let Some(known) = self.credential_mut(provider, credential) else { return false };
        if known.is_out() {
            self.revive(provider, credential, Strikes::NONE, moment.inside);
        } else {
            known.strikes.forgive();
        }
        self.reset(provider, credential, now)
    }

    /// Counts a failure that says the credential is dead; answers whether it counts.
    pub(super) fn strike(
        &mut self,
        provider: ProviderIndex,
        credential: CredentialIndex,
        began: Inside,
        now: Inside,
    ) -> bool {
        let has_list = self.provider_at(provider).is_some_and(|p| p.config.blacklist.is_some());
        let known = self.credential_mut(provider, credential).filter(|_| has_list);
        known.is_some_and(|known| known.strikes.add(began, now))
    }

    /// Puts the credential on the blacklist, if failures enough are counted.
    pub(super) fn blacklist(
        &mut self,
        provider: ProviderIndex,
        credential: CredentialIndex,
        class: Class,
        now: Inside,
    ) {
        let terms = self.provider_at(provider).and_then(|known| known.config.blacklist);
        let Some((terms, known)) = terms.zip(self.credential_mut(provider, credential)) else {
            return;
        };
        if known.strikes.list(&terms, class, now) {
            let listed = known.strikes.listed();
            self.validate_at = self.validate_at.min(listed.map_or(now, |it| it.validate_at));
            self.note(provider, credential, EventKind::Blacklisted { class });
            self.come_or_go(provider, credential, now);
        }
    }

    /// Asks for an attempt on every API key that is due to be tried.
    #[cold]
    pub(super) fn request_validations(&mut self, now: Inside) {
        let open: Vec<(ProviderIndex, CredentialIndex)> = self.leases.probes().collect();
        let Self { providers, validate_requests, validate_at, .. } = self;
        *validate_at = Inside::MAX;
        providers.for_each(|at, provider| {
            let Some(terms) = provider.config.blacklist else { return };
            for (place, known) in provider.credentials.iter_mut().enumerate() {
                let is_due = known.strikes.validate(&terms, now);
                if let Some(listed) = known.strikes.listed() {
                    *validate_at = listed.validate_at.min(*validate_at);
                }
                let request = ValidateRequest {
                    provider: ProviderIndex(at as u32),
                    credential: CredentialIndex(place as u32),
                };
                // Who is off for other reasons would not come back by it.
                let is_key = known.row.as_ref().is_some_and(|row| row.kind == Kind::ApiKey);
                if is_due
                    && is_key
                    && known.is_switched_on()
                    && !open.contains(&(request.provider, request.credential))
                    && !validate_requests.contains(&request)
                {
                    validate_requests.push(request);
                }
            }
        });
    }

    /// Finds the moment anew when the next credential is to be tried.
    pub(super) fn reschedule_validations(&mut self) {
        let known = self.providers.iter().filter(|provider| provider.config.blacklist.is_some());
        let listed = known.flat_map(|provider| &provider.credentials);
        let due = listed.filter_map(|known| Some(known.strikes.listed()?.validate_at));
        self.validate_at = due.min().unwrap_or(Inside::MAX);
    }

    /// A probe of a credential succeeded: what a verdict took out is back, and so is an API key from the
    /// blacklist. What a person switched off stays off.
    pub(super) fn revive_proven(&mut self, attempt: Attempt<'_>, now: Moment) {
        let Attempt { provider, credential, began, .. } = attempt;
        let Some(known) = self.credential_mut(provider, credential) else { return };
        let is_key = known.row.as_ref().is_some_and(|row| row.kind == Kind::ApiKey);
        // An attempt from before the last failure proves nothing against it.
        let proves = is_key && known.strikes.precede(began);
        let strikes = if proves { Strikes::NONE } else { known.strikes };
        if known.disabled != Disabled::No || strikes.listed() != known.strikes.listed() {
            self.revive(provider, credential, strikes, now.inside);
        }
    }

    /// Brings a credential back with clean health, and with that against it.
    pub(super) fn revive(
        &mut self,
        provider: ProviderIndex,
        credential: CredentialIndex,
        strikes: Strikes,
        now: Inside,
    ) {
        let Some(known) = self.credential_mut(provider, credential) else { return };
        if let Some(row) = known.row.as_mut().filter(|_| known.disabled != Disabled::No) {
            // The storage may have switched it off because of that verdict.
            row.enabled = true;
        }
        known.revive();
        known.strikes = strikes;
        self.bring_back(provider, credential, now);
    }

    /// Tells that a credential was brought back, unless something else keeps it out.
    pub(super) fn bring_back(
        &mut self,
        provider: ProviderIndex,
        credential: CredentialIndex,
        now: Inside,
    ) {
        self.come_or_go(provider, credential, now);
        let known = self.credential(provider, credential);
        let is_enabled = known
            .is_some_and(|known| !known.is_out() && known.row.as_ref().is_none_or(|r| r.enabled));
        self.note_some(provider, credential, is_enabled.then_some(EventKind::Enabled));
    }
}
