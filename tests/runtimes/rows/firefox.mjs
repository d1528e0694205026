// Firefox.
import { checkBrowser } from '../pages.mjs'

await checkBrowser('firefox', 'Firefox')
