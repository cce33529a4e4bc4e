'use client'

import { createElement, useEffect } from 'react'

export default function Settings() {
  // The element is for browsers: the server renders its empty tag.
  useEffect(() => {
    void import('miftah/settings-tab')
  }, [])
  return createElement('api-keys-tab', { 'base-url': '/api/settings', lang: 'en' })
}
