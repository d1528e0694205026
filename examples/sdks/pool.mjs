// The pool of these examples: two keys, of which the provider limits the first.
import { KeyPool } from 'keyrota'

/** @param {string} provider its name */
export function makePool(provider) {
  const pool = new KeyPool({
    credentials: {
      [provider]: [
        { id: 'main', secret: 'sk-local-main' },
        { id: 'spare', secret: 'sk-local-spare' },
      ],
    },
  })
  pool.on('cooldown', ({ credential, class: why }) => console.log(`${credential} rests: ${why}`))
  return pool
}
