/**
 * A pool and its host.
 *
 * The host is called only while the pool is not borrowed, so that a callback may call the pool.
 */
export class Core {
    __destroy_into_raw() {
        const ptr = this.__wbg_ptr;
        this.__wbg_ptr = 0;
        CoreFinalization.unregister(this);
        return ptr;
    }
    free() {
        const ptr = this.__destroy_into_raw();
        wasm.__wbg_core_free(ptr, 0);
    }
    /**
     * As `acquireFiltered`, for the credential that the caller's own strategy chose.
     * @param {number} provider
     * @param {number} credential
     * @param {string | null | undefined} model
     * @param {Uint32Array | number[]} numbers
     * @returns {number}
     */
    acquireChosen(provider, credential, model, numbers) {
        const val3 = +provider;
        const val4 = +credential;
        let ptr0, len0, ptr1, len1;
        try {
            ptr0 = isLikeNone(model) ? 0 : passStringToWasm0(model, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc);
            len0 = WASM_VECTOR_LEN;
            ptr1 = passArray32ToWasm0(numbers, wasm.__wbindgen_malloc);
            len1 = WASM_VECTOR_LEN;
        } catch (e) {
            if (ptr1) { wasm.__wbindgen_free(ptr1, len1 * 4, 4); }
            if (ptr0) { wasm.__wbindgen_free(ptr0, len0 * 1, 1); }
            throw e;
        }
        const ret = wasm.core_acquireChosen(this.__wbg_ptr, val3, val4, ptr0, len0, ptr1, len1);
        return ret;
    }
    /**
     * As `acquire`, for a request that asks for more: see [`convert::request`] for its numbers.
     * @param {number} provider
     * @param {string | null | undefined} model
     * @param {Uint32Array | number[]} numbers
     * @returns {number}
     */
    acquireFiltered(provider, model, numbers) {
        const val3 = +provider;
        let ptr0, len0, ptr1, len1;
        try {
            ptr0 = isLikeNone(model) ? 0 : passStringToWasm0(model, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc);
            len0 = WASM_VECTOR_LEN;
            ptr1 = passArray32ToWasm0(numbers, wasm.__wbindgen_malloc);
            len1 = WASM_VECTOR_LEN;
        } catch (e) {
            if (ptr1) { wasm.__wbindgen_free(ptr1, len1 * 4, 4); }
            if (ptr0) { wasm.__wbindgen_free(ptr0, len0 * 1, 1); }
            throw e;
        }
        const ret = wasm.core_acquireFiltered(this.__wbg_ptr, val3, ptr0, len0, ptr1, len1);
        return ret;
    }
    /**
     * Leases that very credential, whatever is known of it.
     * @param {number} provider
     * @param {number} credential
     * @returns {number}
     */
    acquireProbe(provider, credential) {
        const ret = wasm.core_acquireProbe(this.__wbg_ptr, provider, credential);
        return ret;
    }
    /**
     * Leases a credential of a group for the next attempt of a request by its plan; a negative number is
     * a refusal. The numbers are those of [`convert::request`], without what the plan says.
     * @param {Plan} plan
     * @param {number} access_key
     * @param {number} protocol
     * @param {string | null | undefined} model
     * @param {Uint32Array | number[]} numbers
     * @returns {number}
     */
    acquireRouted(plan, access_key, protocol, model, numbers) {
        _assertClass(plan, Plan);
        const val3 = +access_key;
        const val4 = +protocol;
        let ptr0, len0, ptr1, len1;
        try {
            ptr0 = isLikeNone(model) ? 0 : passStringToWasm0(model, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc);
            len0 = WASM_VECTOR_LEN;
            ptr1 = passArray32ToWasm0(numbers, wasm.__wbindgen_malloc);
            len1 = WASM_VECTOR_LEN;
        } catch (e) {
            if (ptr1) { wasm.__wbindgen_free(ptr1, len1 * 4, 4); }
            if (ptr0) { wasm.__wbindgen_free(ptr0, len0 * 1, 1); }
            throw e;
        }
        const ret = wasm.core_acquireRouted(this.__wbg_ptr, plan.__wbg_ptr, val3, val4, ptr0, len0, ptr1, len1);
        return ret;
    }
    /**
     * Leases a credential; a negative number is a refusal.
     * @param {number} provider
     * @param {number} low
     * @param {number} high
     * @returns {number}
     */
    acquire(provider, low, high) {
        const ret = wasm.core_acquire(this.__wbg_ptr, provider, low, high);
        return ret;
    }
    /**
     * Whether somebody could have served at the last refusal, were it not for a cap.
     * @returns {boolean}
     */
    atCapacity() {
        const ret = wasm.core_atCapacity(this.__wbg_ptr);
        return ret !== 0;
    }
    /**
     * Who could serve the request now.
     * @param {number} provider
     * @param {string | null | undefined} model
     * @param {Uint32Array | number[]} numbers
     * @returns {Uint32Array}
     */
    candidates(provider, model, numbers) {
        const val3 = +provider;
        let ptr0, len0, ptr1, len1;
        try {
            ptr0 = isLikeNone(model) ? 0 : passStringToWasm0(model, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc);
            len0 = WASM_VECTOR_LEN;
            ptr1 = passArray32ToWasm0(numbers, wasm.__wbindgen_malloc);
            len1 = WASM_VECTOR_LEN;
        } catch (e) {
            if (ptr1) { wasm.__wbindgen_free(ptr1, len1 * 4, 4); }
            if (ptr0) { wasm.__wbindgen_free(ptr0, len0 * 1, 1); }
            throw e;
        }
        const ret = wasm.core_candidates(this.__wbg_ptr, val3, ptr0, len0, ptr1, len1);
        if (ret[3]) {
            throw takeFromExternrefTable0(ret[2]);
        }
        var v4 = getArrayU32FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 4, 4);
        return v4;
    }
    /**
     * Says whether a snapshot can be restored, and changes nothing.
     * @param {any} snapshot
     */
    checkSnapshot(snapshot) {
        const ret = wasm.core_checkSnapshot(this.__wbg_ptr, snapshot);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * Gives a provider other options from now on.
     * @param {number} provider
     * @param {any} options
     */
    configure(provider, options) {
        const ret = wasm.core_configure(this.__wbg_ptr, provider, options);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * Takes in that the app's storage keeps the credential disabled.
     * @param {number} provider
     * @param {number} credential
     */
    confirmDisabled(provider, credential) {
        wasm.core_confirmDisabled(this.__wbg_ptr, provider, credential);
    }
    /**
     * Brings a disabled credential back.
     * @param {number} provider
     * @param {number} credential
     * @returns {boolean}
     */
    enable(provider, credential) {
        const ret = wasm.core_enable(this.__wbg_ptr, provider, credential);
        if (ret[2]) {
            throw takeFromExternrefTable0(ret[1]);
        }
        return ret[0] !== 0;
    }
    /**
     * Why each credential is chosen or passed over.
     * @param {number} provider
     * @param {string | null | undefined} model
     * @param {Uint32Array | number[]} numbers
     * @returns {any}
     */
    explain(provider, model, numbers) {
        const val3 = +provider;
        let ptr0, len0, ptr1, len1;
        try {
            ptr0 = isLikeNone(model) ? 0 : passStringToWasm0(model, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc);
            len0 = WASM_VECTOR_LEN;
            ptr1 = passArray32ToWasm0(numbers, wasm.__wbindgen_malloc);
            len1 = WASM_VECTOR_LEN;
        } catch (e) {
            if (ptr1) { wasm.__wbindgen_free(ptr1, len1 * 4, 4); }
            if (ptr0) { wasm.__wbindgen_free(ptr0, len0 * 1, 1); }
            throw e;
        }
        const ret = wasm.core_explain(this.__wbg_ptr, val3, ptr0, len0, ptr1, len1);
        if (ret[2]) {
            throw takeFromExternrefTable0(ret[1]);
        }
        return takeFromExternrefTable0(ret[0]);
    }
    /**
     * Where the credential of that id is: its provider and its number there; undefined when unknown.
     * @param {string} id
     * @returns {Int32Array | undefined}
     */
    find(id) {
        const ptr0 = passStringToWasm0(id, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc);
        const len0 = WASM_VECTOR_LEN;
        const ret = wasm.core_find(this.__wbg_ptr, ptr0, len0);
        return ret;
    }
    /**
     * The generation of a provider's rows.
     * @param {number} provider
     * @returns {number}
     */
    generation(provider) {
        const ret = wasm.core_generation(this.__wbg_ptr, provider);
        return ret >>> 0;
    }
    /**
     * The credential of the last lease times 8, plus the reason of the choice.
     * @returns {number}
     */
    granted() {
        const ret = wasm.core_granted(this.__wbg_ptr);
        return ret >>> 0;
    }
    /**
     * The credential that the session is on and that could serve the request now, or -1.
     * @param {number} provider
     * @param {string | null | undefined} model
     * @param {Uint32Array | number[]} numbers
     * @returns {number}
     */
    home(provider, model, numbers) {
        const val3 = +provider;
        let ptr0, len0, ptr1, len1;
        try {
            ptr0 = isLikeNone(model) ? 0 : passStringToWasm0(model, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc);
            len0 = WASM_VECTOR_LEN;
            ptr1 = passArray32ToWasm0(numbers, wasm.__wbindgen_malloc);
            len1 = WASM_VECTOR_LEN;
        } catch (e) {
            if (ptr1) { wasm.__wbindgen_free(ptr1, len1 * 4, 4); }
            if (ptr0) { wasm.__wbindgen_free(ptr0, len0 * 1, 1); }
            throw e;
        }
        const ret = wasm.core_home(this.__wbg_ptr, val3, ptr0, len0, ptr1, len1);
        if (ret[2]) {
            throw takeFromExternrefTable0(ret[1]);
        }
        return ret[0];
    }
    /**
     * Why a request would get what it would get.
     * @param {number} access_key
     * @param {number} protocol
     * @param {string | null | undefined} model
     * @param {Uint32Array | number[]} numbers
     * @returns {any}
     */
    inspect(access_key, protocol, model, numbers) {
        const val3 = +access_key;
        const val4 = +protocol;
        let ptr0, len0, ptr1, len1;
        try {
            ptr0 = isLikeNone(model) ? 0 : passStringToWasm0(model, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc);
            len0 = WASM_VECTOR_LEN;
            ptr1 = passArray32ToWasm0(numbers, wasm.__wbindgen_malloc);
            len1 = WASM_VECTOR_LEN;
        } catch (e) {
            if (ptr1) { wasm.__wbindgen_free(ptr1, len1 * 4, 4); }
            if (ptr0) { wasm.__wbindgen_free(ptr0, len0 * 1, 1); }
            throw e;
        }
        const ret = wasm.core_inspect(this.__wbg_ptr, val3, val4, ptr0, len0, ptr1, len1);
        if (ret[2]) {
            throw takeFromExternrefTable0(ret[1]);
        }
        return takeFromExternrefTable0(ret[0]);
    }
    /**
     * Forgets that a provider's rows are loaded.
     * @param {number} provider
     */
    invalidate(provider) {
        wasm.core_invalidate(this.__wbg_ptr, provider);
    }
    /**
     * Whether a provider's rows are loaded.
     * @param {number} provider
     * @returns {boolean}
     */
    isLoaded(provider) {
        const ret = wasm.core_isLoaded(this.__wbg_ptr, provider);
        return ret !== 0;
    }
    /**
     * Takes in that a request was served with success by that credential, whose session had been `seen`.
     * @param {number} low
     * @param {number} high
     * @param {Uint32Array | number[]} seen
     * @param {number} provider
     * @param {number} credential
     */
    learn(low, high, seen, provider, credential) {
        const val2 = +low;
        const val3 = +high;
        const val4 = +provider;
        const val5 = +credential;
        const ptr0 = passArray32ToWasm0(seen, wasm.__wbindgen_malloc);
        const len0 = WASM_VECTOR_LEN;
        const ret = wasm.core_learn(this.__wbg_ptr, val2, val3, ptr0, len0, val4, val5);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * Whether events should be told to the host.
     * @param {boolean} listening
     */
    listen(listening) {
        wasm.core_listen(this.__wbg_ptr, listening);
    }
    /**
     * Takes in a provider's rows; undefined when they were asked for before an invalidation.
     * @param {number} provider
     * @param {number} generation
     * @param {Array<any>} rows
     * @returns {any}
     */
    load(provider, generation, rows) {
        const ret = wasm.core_load(this.__wbg_ptr, provider, generation, rows);
        if (ret[2]) {
            throw takeFromExternrefTable0(ret[1]);
        }
        return takeFromExternrefTable0(ret[0]);
    }
    /**
     * Whether the model of a request makes a difference: when not, it need not be told.
     * @param {number} provider
     * @returns {boolean}
     */
    mindsModels(provider) {
        const ret = wasm.core_mindsModels(this.__wbg_ptr, provider);
        return ret !== 0;
    }
    /**
     * A pool without providers.
     * @param {any} host
     * @param {any} options
     */
    constructor(host, options) {
        const ret = wasm.core_new(host, options);
        if (ret[2]) {
            throw takeFromExternrefTable0(ret[1]);
        }
        this.__wbg_ptr = ret[0];
        CoreFinalization.register(this, this.__wbg_ptr, this);
        return this;
    }
    /**
     * How long until the lease that began first ends by itself, in milliseconds; -1 when there is none.
     * @returns {number}
     */
    nextExpiry() {
        const ret = wasm.core_nextExpiry(this.__wbg_ptr);
        return ret;
    }
    /**
     * Chooses a credential without a lease; a negative number is a refusal.
     * @param {number} provider
     * @param {number} low
     * @param {number} high
     * @returns {number}
     */
    pick(provider, low, high) {
        const ret = wasm.core_pick(this.__wbg_ptr, provider, low, high);
        return ret;
    }
    /**
     * Tells a plan who makes the attempt that it planned: the credential that the request with these
     * numbers has just got.
     * @param {Plan} plan
     * @param {number} provider
     * @param {number} credential
     * @param {Uint32Array | number[]} numbers
     */
    place(plan, provider, credential, numbers) {
        _assertClass(plan, Plan);
        const val2 = +provider;
        const val3 = +credential;
        const ptr0 = passArray32ToWasm0(numbers, wasm.__wbindgen_malloc);
        const len0 = WASM_VECTOR_LEN;
        wasm.core_place(this.__wbg_ptr, plan.__wbg_ptr, val2, val3, ptr0, len0);
    }
    /**
     * The number of a provider; its own options count at the first mention.
     * @param {string} name
     * @param {any} options
     * @returns {number}
     */
    provider(name, options) {
        const ptr0 = passStringToWasm0(name, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc);
        const len0 = WASM_VECTOR_LEN;
        const ret = wasm.core_provider(this.__wbg_ptr, ptr0, len0, options);
        if (ret[2]) {
            throw takeFromExternrefTable0(ret[1]);
        }
        return ret[0] >>> 0;
    }
    /**
     * Ends the rests of a credential that its quota caused.
     * @param {number} provider
     * @param {number} credential
     * @returns {boolean}
     */
    recoverQuota(provider, credential) {
        const ret = wasm.core_recoverQuota(this.__wbg_ptr, provider, credential);
        if (ret[2]) {
            throw takeFromExternrefTable0(ret[1]);
        }
        return ret[0] !== 0;
    }
    /**
     * Brings a credential back by a person's word, whatever a verdict or the blacklist says of it.
     * @param {number} provider
     * @param {number} credential
     * @returns {boolean}
     */
    recover(provider, credential) {
        const ret = wasm.core_recover(this.__wbg_ptr, provider, credential);
        if (ret[2]) {
            throw takeFromExternrefTable0(ret[1]);
        }
        return ret[0] !== 0;
    }
    /**
     * Takes in whether there is a new secret for a credential whose old one was refused.
     * @param {number} provider
     * @param {number} credential
     * @param {boolean} has_new
     */
    refreshed(provider, credential, has_new) {
        const ret = wasm.core_refreshed(this.__wbg_ptr, provider, credential, has_new);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * Forgets which credentials the session was on.
     * @param {number} low
     * @param {number} high
     * @returns {boolean}
     */
    releaseSession(low, high) {
        const ret = wasm.core_releaseSession(this.__wbg_ptr, low, high);
        return ret !== 0;
    }
    /**
     * Ends a lease without a verdict.
     * @param {number} lease
     */
    release(lease) {
        wasm.core_release(this.__wbg_ptr, lease);
    }
    /**
     * Remembers that a credential made a response.
     * @param {number} provider
     * @param {number} low
     * @param {number} high
     * @param {number} credential
     */
    remember(provider, low, high, credential) {
        const ret = wasm.core_remember(this.__wbg_ptr, provider, low, high, credential);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * Applies a status to the credential that the session is on; answers whether it is on one.
     * @param {number} provider
     * @param {number} low
     * @param {number} high
     * @param {number} status
     * @returns {boolean}
     */
    reportSession(provider, low, high, status) {
        const ret = wasm.core_reportSession(this.__wbg_ptr, provider, low, high, status);
        if (ret[2]) {
            throw takeFromExternrefTable0(ret[1]);
        }
        return ret[0] !== 0;
    }
    /**
     * Ends a lease with what came back, and answers what that means, also when the lease had ended.
     * @param {number} lease
     * @param {number} provider
     * @param {any} outcome
     * @returns {any}
     */
    report(lease, provider, outcome) {
        const ret = wasm.core_report(this.__wbg_ptr, lease, provider, outcome);
        if (ret[2]) {
            throw takeFromExternrefTable0(ret[1]);
        }
        return takeFromExternrefTable0(ret[0]);
    }
    /**
     * Ends every rest of a credential.
     * @param {number} provider
     * @param {number} credential
     * @returns {boolean}
     */
    reset(provider, credential) {
        const ret = wasm.core_reset(this.__wbg_ptr, provider, credential);
        if (ret[2]) {
            throw takeFromExternrefTable0(ret[1]);
        }
        return ret[0] !== 0;
    }
    /**
     * Goes on from a snapshot.
     * @param {any} snapshot
     */
    restore(snapshot) {
        const ret = wasm.core_restore(this.__wbg_ptr, snapshot);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * The wait of the last refusal in milliseconds, or -1 when time does not help.
     * @returns {number}
     */
    retryAfter() {
        const ret = wasm.core_retryAfter(this.__wbg_ptr);
        return ret;
    }
    /**
     * Makes the pool a router, with settings that the TypeScript side has checked.
     * @param {any} options
     */
    route(options) {
        const ret = wasm.core_route(this.__wbg_ptr, options);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * The provider of the last routed lease.
     * @returns {number}
     */
    routedTo() {
        const ret = wasm.core_routedTo(this.__wbg_ptr);
        return ret >>> 0;
    }
    /**
     * Seeds the random choices from a text.
     * @param {string} seed
     */
    seed(seed) {
        const ptr0 = passStringToWasm0(seed, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc);
        const len0 = WASM_VECTOR_LEN;
        wasm.core_seed(this.__wbg_ptr, ptr0, len0);
    }
    /**
     * Where the session of the last routed lease was, as provider and credential; empty when nowhere.
     * @returns {Uint32Array}
     */
    sessionSeen() {
        const ret = wasm.core_sessionSeen(this.__wbg_ptr);
        var v1 = getArrayU32FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 4, 4);
        return v1;
    }
    /**
     * How many sessions are remembered.
     * @returns {number}
     */
    sessions() {
        const ret = wasm.core_sessions(this.__wbg_ptr);
        return ret >>> 0;
    }
    /**
     * Ends a lease when its status is a success that changes nothing; answers whether it did.
     * @param {number} lease
     * @param {number} status
     * @returns {boolean}
     */
    settle(lease, status) {
        const ret = wasm.core_settle(this.__wbg_ptr, lease, status);
        return ret !== 0;
    }
    /**
     * All that must outlive the process.
     * @returns {any}
     */
    snapshot() {
        const ret = wasm.core_snapshot(this.__wbg_ptr);
        if (ret[2]) {
            throw takeFromExternrefTable0(ret[1]);
        }
        return takeFromExternrefTable0(ret[0]);
    }
    /**
     * A random part of a wait that many share, in milliseconds.
     * @param {number} wait
     * @returns {number}
     */
    spread(wait) {
        const ret = wasm.core_spread(this.__wbg_ptr, wait);
        return ret;
    }
    /**
     * What is known of each credential.
     * @param {number} provider
     * @returns {any}
     */
    status(provider) {
        const ret = wasm.core_status(this.__wbg_ptr, provider);
        if (ret[2]) {
            throw takeFromExternrefTable0(ret[1]);
        }
        return takeFromExternrefTable0(ret[0]);
    }
    /**
     * Applies a success to the credential that the session got last.
     * @param {number} low
     * @param {number} high
     */
    succeedSession(low, high) {
        const ret = wasm.core_succeedSession(this.__wbg_ptr, low, high);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * Drops what is forgotten and repeats what was not confirmed.
     */
    sweep() {
        const ret = wasm.core_sweep(this.__wbg_ptr);
        if (ret[1]) {
            throw takeFromExternrefTable0(ret[0]);
        }
    }
    /**
     * Why the last request went nowhere.
     * @returns {string | undefined}
     */
    turnedAwayFor() {
        const ret = wasm.core_turnedAwayFor(this.__wbg_ptr);
        let v1;
        if (ret[0] !== 0) {
            v1 = getStringFromWasm0(ret[0], ret[1]);
            wasm.__wbindgen_free(ret[0], ret[1] * 1, 1);
        }
        return v1;
    }
}
if (Symbol.dispose) Core.prototype[Symbol.dispose] = Core.prototype.free;

/**
 * The plan of one request.
 *
 * It belongs to no pool, so that a run may end it whenever the pool was disposed.
 */
export class Plan {
    __destroy_into_raw() {
        const ptr = this.__wbg_ptr;
        this.__wbg_ptr = 0;
        PlanFinalization.unregister(this);
        return ptr;
    }
    free() {
        const ptr = this.__destroy_into_raw();
        wasm.__wbg_plan_free(ptr, 0);
    }
    /**
     * What the next attempt asks of that provider: see [`convert::planned`].
     * @param {number} provider
     * @returns {Uint32Array}
     */
    asked(provider) {
        const ret = wasm.plan_asked(this.__wbg_ptr, provider);
        var v1 = getArrayU32FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 4, 4);
        return v1;
    }
    /**
     * Takes in how the attempt ended, among so many candidates; answers whether there may be another.
     * @param {number} candidates
     * @param {string} _class
     * @param {string} scope
     * @param {boolean} retry_other
     * @param {string} phase
     * @returns {boolean}
     */
    attempted(candidates, _class, scope, retry_other, phase) {
        const val4 = +candidates;
        const val5 = +retry_other;
        let ptr0, len0, ptr1, len1, ptr2, len2;
        try {
            ptr0 = passStringToWasm0(_class, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc);
            len0 = WASM_VECTOR_LEN;
            ptr1 = passStringToWasm0(scope, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc);
            len1 = WASM_VECTOR_LEN;
            ptr2 = passStringToWasm0(phase, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc);
            len2 = WASM_VECTOR_LEN;
        } catch (e) {
            if (ptr2) { wasm.__wbindgen_free(ptr2, len2 * 1, 1); }
            if (ptr1) { wasm.__wbindgen_free(ptr1, len1 * 1, 1); }
            if (ptr0) { wasm.__wbindgen_free(ptr0, len0 * 1, 1); }
            throw e;
        }
        const ret = wasm.plan_attempted(this.__wbg_ptr, val4, ptr0, len0, ptr1, len1, val5, ptr2, len2);
        return ret !== 0;
    }
    /**
     * Lets those who were not to blame be tried once more, among them those of the attempts with these
     * numbers, whose secret was renewed; answers false when there are none.
     * @param {Uint32Array | number[]} renewed
     * @returns {boolean}
     */
    forgive(renewed) {
        const ptr0 = passArray32ToWasm0(renewed, wasm.__wbindgen_malloc);
        const len0 = WASM_VECTOR_LEN;
        const ret = wasm.plan_forgive(this.__wbg_ptr, ptr0, len0);
        return ret !== 0;
    }
    /**
     * The plan of a request that may have so many attempts; a negative number is the default.
     * @param {number} attempts
     * @param {boolean} idempotent
     */
    constructor(attempts, idempotent) {
        const ret = wasm.plan_new(attempts, idempotent);
        this.__wbg_ptr = ret;
        PlanFinalization.register(this, this.__wbg_ptr, this);
        return this;
    }
    /**
     * The numbers, from 0, of the failed attempts whose secret was refused and may be renewed by now.
     * @returns {Uint32Array}
     */
    refused() {
        const ret = wasm.plan_refused(this.__wbg_ptr);
        var v1 = getArrayU32FromWasm0(ret[0], ret[1]).slice();
        wasm.__wbindgen_free(ret[0], ret[1] * 4, 4);
        return v1;
    }
}
if (Symbol.dispose) Plan.prototype[Symbol.dispose] = Plan.prototype.free;

/**
 * Judges an outcome by the rules of a dialect, after those of the options; an `is_event` is one event
 * of a stream.
 * @param {string} dialect
 * @param {any} options
 * @param {any} facts
 * @param {number} now
 * @param {boolean} is_event
 * @returns {any}
 */
export function classify(dialect, options, facts, now, is_event) {
    const val2 = +now;
    const val3 = +is_event;
    const ptr0 = passStringToWasm0(dialect, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc);
    const len0 = WASM_VECTOR_LEN;
    const ret = wasm.classify(ptr0, len0, options, facts, val2, val3);
    if (ret[2]) {
        throw takeFromExternrefTable0(ret[1]);
    }
    return takeFromExternrefTable0(ret[0]);
}

/**
 * The upper half of the last [`hash_low`].
 * @returns {number}
 */
export function hashHigh() {
    const ret = wasm.hashHigh();
    return ret >>> 0;
}

/**
 * Hashes a text; answers the lower half.
 * @param {string} text
 * @returns {number}
 */
export function hashLow(text) {
    const ptr0 = passStringToWasm0(text, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc);
    const len0 = WASM_VECTOR_LEN;
    const ret = wasm.hashLow(ptr0, len0);
    return ret >>> 0;
}

/**
 * Whether a name leads to rules of its own.
 * @param {string} name
 * @returns {boolean}
 */
export function knowsDialect(name) {
    const ptr0 = passStringToWasm0(name, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc);
    const len0 = WASM_VECTOR_LEN;
    const ret = wasm.knowsDialect(ptr0, len0);
    return ret !== 0;
}
export function __wbg_Error_208446807d0d1e30(arg0, arg1) {
    const ret = Error(getStringFromWasm0(arg0, arg1));
    return ret;
}
export function __wbg___wbindgen_boolean_get_4f1baf9a00be3c74(arg0) {
    const v = arg0;
    const ret = typeof(v) === 'boolean' ? v : undefined;
    return isLikeNone(ret) ? 0xFFFFFF : ret ? 1 : 0;
}
export function __wbg___wbindgen_is_null_c22311b1cc228e3a(arg0) {
    const ret = arg0 === null;
    return ret;
}
export function __wbg___wbindgen_is_object_8b968c3ab8e96595(arg0) {
    const val = arg0;
    const ret = typeof(val) === 'object' && val !== null;
    return ret;
}
export function __wbg___wbindgen_is_string_fc456fee5d3317de(arg0) {
    const ret = typeof(arg0) === 'string';
    return ret;
}
export function __wbg___wbindgen_is_undefined_be5b34249ff1fc15(arg0) {
    const ret = arg0 === undefined;
    return ret;
}
export function __wbg___wbindgen_number_get_934b640d0889af78(arg0, arg1) {
    const obj = arg1;
    const ret = typeof(obj) === 'number' ? obj : undefined;
    getDataViewMemory0().setFloat64((arg0 >>> 0) + 8 * 1, isLikeNone(ret) ? 0 : ret, true);
    getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 0, !isLikeNone(ret), true);
}
export function __wbg___wbindgen_string_get_7ce8eee7fd327545(arg0, arg1) {
    const obj = arg1;
    const ret = typeof(obj) === 'string' ? obj : undefined;
    var ptr1 = isLikeNone(ret) ? 0 : passStringToWasm0(ret, wasm.__wbindgen_malloc, wasm.__wbindgen_realloc);
    var len1 = WASM_VECTOR_LEN;
    getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 1, len1, true);
    getDataViewMemory0().setInt32((arg0 >>> 0) + 4 * 0, ptr1, true);
}
export function __wbg___wbindgen_throw_4c88d8bf264fd984(arg0, arg1) {
    throw new Error(getStringFromWasm0(arg0, arg1));
}
export function __wbg_disable_a9bfd2af370c7684(arg0, arg1, arg2, arg3) {
    arg0.disable(arg1 >>> 0, arg2 >>> 0, arg3);
}
export function __wbg_emit_c352b2ca732ce196(arg0, arg1) {
    arg0.emit(arg1);
}
export function __wbg_entries_7bb1459bd9b5c2b9(arg0) {
    const ret = Object.entries(arg0);
    return ret;
}
export function __wbg_getRandomValues_8b6f1f663e6f188d() { return handleError(function (arg0, arg1) {
    globalThis.crypto.getRandomValues(getArrayU8FromWasm0(arg0, arg1));
}, arguments); }
export function __wbg_get_d7176cfb76d71114(arg0, arg1) {
    const ret = arg0[arg1 >>> 0];
    return ret;
}
export function __wbg_get_unchecked_e6325ad374eff861(arg0, arg1) {
    const ret = arg0[arg1 >>> 0];
    return ret;
}
export function __wbg_isArray_bcf1376d0d732d08(arg0) {
    const ret = Array.isArray(arg0);
    return ret;
}
export function __wbg_length_b03a0fabb109b1e9(arg0) {
    const ret = arg0.length;
    return ret;
}
export function __wbg_new_37eb45aaf5eeb820() {
    const ret = new Array();
    return ret;
}
export function __wbg_new_7075786089b89c5e() {
    const ret = new Map();
    return ret;
}
export function __wbg_new_cd4348290afae586() {
    const ret = new Object();
    return ret;
}
export function __wbg_new_from_slice_e0c60a796e12bb7c(arg0, arg1) {
    const ret = new Int32Array(getArrayI32FromWasm0(arg0, arg1));
    return ret;
}
export function __wbg_now_f68ef1967097c251(arg0) {
    const ret = arg0.now();
    return ret;
}
export function __wbg_refresh_b763c49bfdbfc8af(arg0, arg1, arg2) {
    arg0.refresh(arg1 >>> 0, arg2 >>> 0);
}
export function __wbg_set_8282f7e0d2d01336(arg0, arg1, arg2) {
    const ret = arg0.set(arg1, arg2);
    return ret;
}
export function __wbg_set_d2d33b52458e984a(arg0, arg1, arg2) {
    arg0[arg1 >>> 0] = arg2;
}
export function __wbg_set_e4b9a833d288759a(arg0, arg1, arg2) {
    arg0[arg1] = arg2;
}
export function __wbg_validate_4012d6f2d3310dfd(arg0, arg1, arg2) {
    arg0.validate(arg1 >>> 0, arg2 >>> 0);
}
export function __wbindgen_generic_0000000000000001(arg0) {
    // Cast intrinsic for `F64 -> Externref`.
    const ret = arg0;
    return ret;
}
export function __wbindgen_generic_0000000000000002(arg0) {
    // Cast intrinsic for `I64 -> Externref`.
    const ret = arg0;
    return ret;
}
export function __wbindgen_generic_0000000000000003(arg0, arg1) {
    // Cast intrinsic for `Ref(String) -> Externref`.
    const ret = getStringFromWasm0(arg0, arg1);
    return ret;
}
export function __wbindgen_init_externref_table() {
    const table = wasm.__wbindgen_externrefs;
    table.set(0, undefined);
    table.set(1024, undefined);
    table.set(1025, null);
    table.set(1026, true);
    table.set(1027, false);
}
const CoreFinalization = (typeof FinalizationRegistry === 'undefined')
    ? { register: () => {}, unregister: () => {} }
    : new FinalizationRegistry(ptr => wasm.__wbg_core_free(ptr, 1));
const PlanFinalization = (typeof FinalizationRegistry === 'undefined')
    ? { register: () => {}, unregister: () => {} }
    : new FinalizationRegistry(ptr => wasm.__wbg_plan_free(ptr, 1));

function addToExternrefTable0(obj) {
    const idx = wasm.__externref_table_alloc();
    wasm.__wbindgen_externrefs.set(idx, obj);
    return idx;
}

function _assertClass(instance, klass) {
    if (!(instance instanceof klass)) {
        throw new Error(`expected instance of ${klass.name}`);
    }
}

function getArrayI32FromWasm0(ptr, len) {
    ptr = ptr >>> 0;
    return getInt32ArrayMemory0().subarray(ptr / 4, ptr / 4 + len);
}

function getArrayU32FromWasm0(ptr, len) {
    ptr = ptr >>> 0;
    return getUint32ArrayMemory0().subarray(ptr / 4, ptr / 4 + len);
}

function getArrayU8FromWasm0(ptr, len) {
    ptr = ptr >>> 0;
    return getUint8ArrayMemory0().subarray(ptr / 1, ptr / 1 + len);
}

let cachedDataViewMemory0 = null;
function getDataViewMemory0() {
    if (cachedDataViewMemory0 === null || cachedDataViewMemory0.buffer.detached === true || (cachedDataViewMemory0.buffer.detached === undefined && cachedDataViewMemory0.buffer !== wasm.memory.buffer)) {
        cachedDataViewMemory0 = new DataView(wasm.memory.buffer);
    }
    return cachedDataViewMemory0;
}

let cachedInt32ArrayMemory0 = null;
function getInt32ArrayMemory0() {
    if (cachedInt32ArrayMemory0 === null || cachedInt32ArrayMemory0.byteLength === 0) {
        cachedInt32ArrayMemory0 = new Int32Array(wasm.memory.buffer);
    }
    return cachedInt32ArrayMemory0;
}

function getStringFromWasm0(ptr, len) {
    ptr = ptr >>> 0;
    return decodeText(getUint8ArrayMemory0().subarray(ptr, ptr + len));
}

let cachedUint32ArrayMemory0 = null;
function getUint32ArrayMemory0() {
    if (cachedUint32ArrayMemory0 === null || cachedUint32ArrayMemory0.byteLength === 0) {
        cachedUint32ArrayMemory0 = new Uint32Array(wasm.memory.buffer);
    }
    return cachedUint32ArrayMemory0;
}

let cachedUint8ArrayMemory0 = null;
function getUint8ArrayMemory0() {
    if (cachedUint8ArrayMemory0 === null || cachedUint8ArrayMemory0.byteLength === 0) {
        cachedUint8ArrayMemory0 = new Uint8Array(wasm.memory.buffer);
    }
    return cachedUint8ArrayMemory0;
}

function handleError(f, args) {
    try {
        return f.apply(this, args);
    } catch (e) {
        const idx = addToExternrefTable0(e);
        wasm.__wbindgen_exn_store(idx);
    }
}

function isLikeNone(x) {
    return x === undefined || x === null;
}

function passArray32ToWasm0(arg, malloc) {
    const ptr = malloc(arg.length * 4, 4) >>> 0;
    getUint32ArrayMemory0().set(arg, ptr / 4);
    WASM_VECTOR_LEN = arg.length;
    return ptr;
}

function passStringToWasm0(arg, malloc, realloc) {
    if (realloc === undefined) {
        const buf = cachedTextEncoder.encode(arg);
        const ptr = malloc(buf.length, 1) >>> 0;
        getUint8ArrayMemory0().subarray(ptr, ptr + buf.length).set(buf);
        WASM_VECTOR_LEN = buf.length;
        return ptr;
    }

    let len = arg.length;
    let ptr = malloc(len, 1) >>> 0;

    const mem = getUint8ArrayMemory0();

    let offset = 0;

    for (; offset < len; offset++) {
        const code = arg.charCodeAt(offset);
        if (code > 0x7F) break;
        mem[ptr + offset] = code;
    }
    if (offset !== len) {
        if (offset !== 0) {
            arg = arg.slice(offset);
        }
        ptr = realloc(ptr, len, len = offset + arg.length * 3, 1) >>> 0;
        const view = getUint8ArrayMemory0().subarray(ptr + offset, ptr + len);
        const ret = cachedTextEncoder.encodeInto(arg, view);

        offset += ret.written;
        ptr = realloc(ptr, len, offset, 1) >>> 0;
    }

    WASM_VECTOR_LEN = offset;
    return ptr;
}

function takeFromExternrefTable0(idx) {
    const value = wasm.__wbindgen_externrefs.get(idx);
    wasm.__externref_table_dealloc(idx);
    return value;
}

let cachedTextDecoder = new TextDecoder('utf-8', { ignoreBOM: true });
cachedTextDecoder.decode();
const MAX_SAFARI_DECODE_BYTES = 2146435072;
let numBytesDecoded = 0;
function decodeText(bytes) {
    numBytesDecoded += bytes.length;
    if (numBytesDecoded >= MAX_SAFARI_DECODE_BYTES) {
        cachedTextDecoder = new TextDecoder('utf-8', { ignoreBOM: true });
        cachedTextDecoder.decode();
        numBytesDecoded = bytes.length;
    }
    return cachedTextDecoder.decode(bytes);
}

const cachedTextEncoder = new TextEncoder();

if (!('encodeInto' in cachedTextEncoder)) {
    cachedTextEncoder.encodeInto = function (arg, view) {
        const buf = cachedTextEncoder.encode(arg);
        view.set(buf);
        return {
            read: arg.length,
            written: buf.length
        };
    };
}

let WASM_VECTOR_LEN = 0;


let wasm;
export function __wbg_set_wasm(val) {
    wasm = val;
}
