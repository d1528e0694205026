import { KeyrotaError } from 'keyrota'

/** What the call throws, which must be an error of the package. */
export function thrown(call: () => unknown): KeyrotaError {
  try {
    call()
  } catch (error) {
    return ours(error)
  }
  throw new Error('nothing was thrown')
}

/** What the promise rejects with, which must be an error of the package. */
export async function rejected(promise: Promise<unknown>): Promise<KeyrotaError> {
  let value: unknown
  try {
    value = await promise
  } catch (error) {
    return ours(error)
  }
  throw new Error(`it was fulfilled: ${String(value)}`)
}

function ours(error: unknown): KeyrotaError {
  if (error instanceof KeyrotaError) return error
  throw error
}
