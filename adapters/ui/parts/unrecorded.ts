/** Classes that keep session replay tools from recording an element. */
export const unrecorded = 'ph-no-capture fs-exclude sentry-block clarity-mask rr-block'
