/** JSON as OpenAPI and JSON Schema write it. */
export type JsonObject = { readonly [name: string]: unknown }

/** Who to ask about the API. */
export interface OpenApiContact {
  /** The name of a person or a team. */
  readonly name?: string
  /** A page about them. */
  readonly url?: string
  /** Their address. */
  readonly email?: string
}

/** Under which terms the API is offered. */
export interface OpenApiLicense {
  /** The name of the license. */
  readonly name: string
  /** Its SPDX expression; not together with `url`. */
  readonly identifier?: string
  /** Where its text is; not together with `identifier`. */
  readonly url?: string
}

/** What a host says about its API in the description of the management routes. */
export interface OpenApiInfo {
  /** The title of the document. Default `API keys`. */
  readonly title?: string
  /** The version of the host's own API. Default `1.0.0`. */
  readonly version?: string
  /** Who to ask. Default: the team behind the API, without an address. */
  readonly contact?: OpenApiContact
  /** The license. Default: MIT, under which miftah provides these routes. */
  readonly license?: OpenApiLicense
  /**
   * How a call carries the session, as a Security Scheme Object. Default: a cookie named `session`.
   * This describes what `context` checks and has no effect on it.
   */
  readonly session?: JsonObject
}

/** What the description says beside the routes themselves. */
export interface OpenApiOptions extends OpenApiInfo {
  /** Where the routes are mounted; becomes the one entry of `servers`. Default `/`. */
  readonly basePath?: string
  /** The entries of the metadata that `manageKeys` shows and takes. Default: none. */
  readonly metadata?: readonly string[]
  /** The types of resources that keys can be restricted in. Default: none. */
  readonly resourceTypes?: readonly string[]
}

/** An OpenAPI 3.1 document of the management routes. */
export interface OpenApiDocument {
  /** The version of OpenAPI. */
  readonly openapi: '3.1.1'
  /** What the document is about. */
  readonly info: {
    /** The title, as {@link OpenApiOptions} has it. */
    readonly title: string
    /** The version, as {@link OpenApiOptions} has it. */
    readonly version: string
    /** One sentence in English. */
    readonly description: string
    /** The contact, as {@link OpenApiOptions} has it. */
    readonly contact: JsonObject
    /** The license, as {@link OpenApiOptions} has it. */
    readonly license: JsonObject
  }
  /** Where the routes are mounted. */
  readonly servers: readonly {
    /** The `basePath`. */
    readonly url: string
  }[]
  /** The groups of the routes. */
  readonly tags: readonly {
    /** What the operations of the group name. */
    readonly name: string
    /** One sentence in English. */
    readonly description: string
  }[]
  /** Every operation needs the session. */
  readonly security: readonly JsonObject[]
  /** The routes by their paths. */
  readonly paths: { readonly [path: string]: JsonObject }
  /** What the routes refer to. */
  readonly components: {
    /** The session. */
    readonly securitySchemes: { readonly [name: string]: JsonObject }
    /** The bodies, in JSON Schema. */
    readonly schemas: { readonly [name: string]: JsonObject }
    /** The problems, by their status. */
    readonly responses: { readonly [name: string]: JsonObject }
  }
}
