import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['tests/js/**/*.test.ts'],
    testTimeout: 10_000,
  },
})
