// A headless browser on one page. It is neither driven nor asked: pages post what they found out.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { end, start } from './process.mjs'

const browsers = {
  chromium: {
    programs: [process.env.CHROMIUM, 'chromium', 'google-chrome'],
    flags: (profile) => [
      '--headless',
      `--user-data-dir=${profile}`,
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-gpu',
      // Its sandbox does not start for root, as whom a container runs.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  },
  firefox: {
    programs: [process.env.FIREFOX, 'firefox-esr', 'firefox'],
    flags: (profile) => ['--headless', '--no-remote', '--profile', profile],
  },
}

// A new profile would greet its user and ask servers for news.
const FIREFOX_PREFERENCES = {
  'app.normandy.enabled': false,
  'app.update.disabledForTesting': true,
  'browser.aboutwelcome.enabled': false,
  'browser.safebrowsing.downloads.remote.enabled': false,
  'browser.safebrowsing.provider.mozilla.updateURL': '',
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'extensions.getAddons.cache.enabled': false,
  'extensions.update.enabled': false,
  'media.gmp-manager.updateEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,',
  'toolkit.telemetry.server': '',
  'toolkit.telemetry.unified': false,
}

/**
 * The program of a browser and its version.
 * @param {'chromium' | 'firefox'} name
 * @returns {{ program: string, version: string } | null} null when there is none
 */
export function findBrowser(name) {
  for (const program of browsers[name].programs.filter(Boolean)) {
    try {
      const options = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], timeout: 20_000 }
      const told = execFileSync(program, ['--version'], options)
      return { program, version: /\d+[.\d]+/.exec(told)?.[0] ?? told.trim() }
    } catch {
      // The next one.
    }
  }
  return null
}

/**
 * Opens a page in a new browser, waits for what `answered` waits for, and closes the browser.
 * @template T
 * @param {'chromium' | 'firefox'} name
 * @param {string} url
 * @param {(browser: import('node:child_process').ChildProcess) => Promise<T>} answered
 * @param {{ flags?: string[], pipes?: boolean }} [options]
 * @returns {Promise<T>}
 */
export async function visit(name, url, answered, { flags = [], pipes } = {}) {
  const parent = resolve('target', 'runtimes', 'profiles')
  mkdirSync(parent, { recursive: true })
  const profile = mkdtempSync(join(parent, `${name}-`))
  const lines = Object.entries(FIREFOX_PREFERENCES).map(
    ([key, value]) => `user_pref(${JSON.stringify(key)}, ${JSON.stringify(value)});\n`,
  )
  if (name === 'firefox') writeFileSync(join(profile, 'user.js'), lines.join(''))
  const program = findBrowser(name)?.program
  if (!program) throw new Error(`${name} is not installed`)
  const command = [program, ...browsers[name].flags(profile), ...flags, url]
  const child = start(command, { env: { ...process.env, HOME: profile }, pipes })
  const closed = new Promise((resolve) => child.on('close', resolve))
  try {
    return await answered(child)
  } catch (error) {
    throw new Error(`${error.message}\n${child.output.slice(-1_000)}`)
  } finally {
    end(child)
    await closed
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  }
}
