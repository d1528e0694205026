import { tellRow } from './answer.mjs'

addEventListener('install', (event) => event.waitUntil(tellRow('service')))
