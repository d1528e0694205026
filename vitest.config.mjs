import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['tests/js/**/*.test.ts', 'tests/fetch/**/*.test.ts', 'tests/gateway/**/*.test.ts'],
    globalSetup: ['tests/fetch/install.mjs'],
    testTimeout: 10_000,
  },
})
