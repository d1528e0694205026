// The rows of the browsers: the packed files as they are, without a bundler.
import { findBrowser, visit } from './browser.mjs'
import { installApp } from './install.mjs'
import { check, checkFetch, expectRecorded, finish, notTested } from './row.mjs'
import { serve } from './server.mjs'

const STRICT = "default-src 'none'; connect-src 'self'; script-src 'self'"

/**
 * @param {'chromium' | 'firefox'} browser
 * @param {string} label
 */
export async function checkBrowser(browser, label) {
  const found = findBrowser(browser)
  if (found === null) notTested(label, 'it is not installed')
  else await checkPages(browser, `${label} ${found.version}`)
  finish()
}

async function checkPages(browser, where) {
  const app = installApp('page')
  const plain = await serve(app)
  await visit(browser, plain.url, async () => {
    for (const [name, what] of Object.entries({
      page: 'page',
      worker: 'module worker',
      service: 'service worker',
    })) {
      await check(where, what, async () => expectRecorded(await plain.answer(name)))
    }
    await check(where, 'keyrota/fetch over a function', async () => {
      const faults = await plain.answer('fetch')
      if (faults.length > 0) throw new Error(faults.join('\n'))
    })
  })
  await checkFetch(where, 'keyrota/fetch', (provider) => {
    const page = `${plain.url}/fetch.html?provider=${encodeURIComponent(provider)}`
    return visit(browser, page, () => plain.answer('fetch-network'))
  })
  plain.close()

  await check(where, "strict CSP with 'wasm-unsafe-eval'", async () => {
    expectRecorded(await underPolicy(browser, app, `${STRICT} 'wasm-unsafe-eval'`))
  })
  await check(where, 'strict CSP without it: a typed error that says what to add', async () => {
    const { code, message } = await underPolicy(browser, app, STRICT)
    if (code !== 'wasm_blocked' || !message.includes("'wasm-unsafe-eval'")) {
      throw new Error(`${code}: ${message}`)
    }
  })
}

async function underPolicy(browser, app, policy) {
  const server = await serve(app, { 'content-security-policy': policy })
  try {
    return await visit(browser, `${server.url}/csp.html`, () => server.answer('csp'))
  } finally {
    server.close()
  }
}
