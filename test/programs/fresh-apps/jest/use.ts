import express = require('express')

import { createApiKeys, type Denial, plans } from 'miftah'
import { createManagementClient } from 'miftah/client'
import { requireKey } from 'miftah/express'
import { memoryStorage } from 'miftah/memory'
import { postgresStorage } from 'miftah/postgres'

const keys = createApiKeys({ storage: memoryStorage(), entitlements: () => plans.business })
// @ts-expect-error a misspelt scope
void keys.authenticate('', 'contact.read')
export const reasonOf = ({ reason }: Denial): string => reason
export const app = express().get('/', requireKey(keys, 'contacts.read'), (request, response) => {
  response.json({ workspace: request.apiKey?.workspaceId })
})
export const others = [createManagementClient, postgresStorage]
