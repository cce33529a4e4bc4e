/** The types of the management routes that every host exports. */
export type {
  ContextAnswer,
  KeyOperation,
  ManageKeysOptions,
  ManagementContext,
  ManagementDetail,
  ManagementOperation,
  NamedResource,
  ResourcePage,
  ResourceSource,
} from './call.ts'
