'use client'

import * as keyrota from 'keyrota'
import { useEffect } from 'react'
import { scenario } from '../../scenario.mjs'

export default function Page() {
  useEffect(() => {
    const server = new URLSearchParams(location.search).get('to')
    const send = (answer) =>
      fetch(`${server}/answer/client`, { method: 'POST', body: JSON.stringify(answer) })
    scenario(keyrota).then(send, ({ code, message }) => send({ code, message }))
  }, [])
  return <p>a client component</p>
}
