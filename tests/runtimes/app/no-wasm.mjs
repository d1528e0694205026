// For an engine without WebAssembly.
import { KeyPool } from 'keyrota'

try {
  new KeyPool({ credentials: { openai: ['sk-one'] } })
  console.log('nothing was thrown')
} catch (error) {
  console.log(`${error.name} ${error.code}: ${error.message}`)
}
