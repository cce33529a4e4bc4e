import type { RawResponse } from '../../support/http/raw-client.ts'
import { type ComparedCase, type Finding, holds } from './case.ts'

/** Members who try to give a key more than they may. */
export const grantCases: readonly ComparedCase[] = [
  {
    id: '',
    given: 'a key with a right that a member may not give, asked for by their page',
    wanted: '4xx',
    run: async ({ grants }) => refused(await grants.createByPage()),
  },
  {
    id: '',
    given: 'such a right added to a key of theirs by their page',
    wanted: '4xx',
    run: async ({ grants, issue }) => refused(await grants.updateByPage((await issue()).id)),
  },
  {
    id: '',
    given: 'a key with such a right, made by the host’s code for the member',
    wanted: 'refused, since the host has said what the member may give',
    run: async ({ grants }) =>
      holds(!(await grants.createByHost()), 'made; there is nowhere to say it'),
  },
  {
    id: '',
    given: 'such a right added by the host’s code for the member',
    wanted: 'refused, since the host has said what the member may give',
    run: async ({ grants, issue }) =>
      holds(!(await grants.updateByHost((await issue()).id)), 'added; there is nowhere to say it'),
  },
]

function refused({ status }: RawResponse): Finding {
  return holds(status >= 400 && status < 500, `${status}`)
}
