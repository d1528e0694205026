// biome-ignore-all lint/correctness/noUnusedImports: that is what is tested
// Nothing of the package is used, so nothing of it may be in the bundle.
import { KeyPool, KeyrotaError } from 'keyrota'
import { ApiKeyPoolService } from 'keyrota/service'

console.log('no pool here')
