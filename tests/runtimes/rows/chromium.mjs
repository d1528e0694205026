// Chromium, and with it Chrome and Edge.
import { checkBrowser } from '../pages.mjs'

await checkBrowser('chromium', 'Chromium')
