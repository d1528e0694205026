//! Why a credential was chosen or passed over, as stable codes.

use super::code::coded;

coded! {
    /// Why a credential is passed over, or that it is not. The codes are stable: programs may compare them.
    pub enum Reason {
        /// No access key is known by that value or id.
        AccessKeyUnknown = "access_key_unknown",
        /// The access key is switched off by hand.
        AccessKeyDisabled = "access_key_disabled",
        /// The access key's time is over.
        AccessKeyExpired = "access_key_expired",
        /// The access key may not speak that protocol.
        ProtocolNotAllowed = "protocol_not_allowed",
        /// The access key may not ask for that model.
        ModelNotAllowed = "model_not_allowed",
        /// The access key is not known to have made the response that the request continues.
        ContinuationUnknown = "continuation_unknown",
        /// The access key may not use the group.
        GroupNotAllowed = "group_not_allowed",
        /// The group is switched off by hand.
        GroupDisabled = "group_disabled",
        /// The group, or the credential, does not list the model.
        ModelNotExposed = "model_not_exposed",
        /// The group understands other protocols alone.
        ConversionRequired = "conversion_required",
        /// The group has no rows.
        NoCredentials = "no_credentials",
        /// None of the group's credentials can serve; each says why.
        NoUsableCredential = "no_usable_credential",
        /// A usable group has a higher priority.
        GroupLowerTier = "group_lower_tier",
        /// It would serve now.
        Chosen = "chosen",
        /// It could serve now; another was chosen.
        Available = "available",
        /// A usable credential has a higher priority.
        LowerPriority = "lower_priority",
        /// The request has failed at its priority or below: a lower one comes first, and then no higher one.
        HigherPriority = "higher_priority",
        /// This request has tried it already.
        AlreadyTried = "already_tried",
        /// It is out until a moment that is known.
        Cooling = "cooling",
        /// It is out for the model that is asked for, until a moment that is known.
        ModelCooling = "model_cooling",
        /// Its quota or balance is used up, until a moment that is known or guessed.
        QuotaExhausted = "quota_exhausted",
        /// Its rest is over, and one attempt is finding out whether it works again.
        ProbePending = "probe_pending",
        /// Its provider fails for everyone and is asked again in a moment.
        ProviderPaused = "provider_paused",
        /// The request continues a response that another credential made.
        BoundElsewhere = "bound_elsewhere",
        /// It, or its provider, serves as many attempts at once as it may: until one of them ends.
        AtCapacity = "at_capacity",
        /// It is out until a person or a proof brings it back: [`DisabledBy`] says who took it out.
        CredentialDisabled = "credential_disabled",
        /// Its secret names an environment variable that is not set.
        SecretUnresolved = "secret_unresolved",
        /// It is a subscription account whose authorisation is not good.
        AuthUnavailable = "auth_unavailable",
        /// It failed too often, one time after the other, as only a dead one does.
        Blacklisted = "blacklisted",
        /// Its row breaks a rule; the entry says which field and which rule.
        InvalidCredential = "invalid_credential",
    }
}

coded! {
    /// Who took a credential out that is [disabled](Reason::CredentialDisabled).
    pub enum DisabledBy {
        /// A person: its row says `enabled: false`.
        Hand = "hand",
        /// A verdict, which proved it dead.
        Verdict = "verdict",
    }
}

coded! {
    /// Why this credential serves this request. The boundary has room for eight.
    pub enum ChoiceReason {
        /// The strategy chose it.
        Strategy = "strategy",
        /// The session was on it before, so the provider's prompt cache may be warm.
        Affinity = "affinity",
        /// The session was on another, which cannot serve now, or ranks below one that can.
        Rebound = "rebound",
        /// As `rebound`, for as long as the session's own credential rests: it will go back.
        Lodging = "lodging",
        /// The request continues a response that this credential made.
        Continuation = "continuation",
        /// Nobody can serve, and this one recovers first.
        FailOpen = "fail_open",
        /// It was asked for by name, to find out whether it works.
        Probe = "probe",
        /// The session's own credential serves as many as it may; this request goes elsewhere and the
        /// session stays.
        Overflow = "overflow",
    }
}
