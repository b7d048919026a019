/**
 * The two channels that carry everything between window and main. There are only two so that the preload stays
 * generic and every message passes the same checks; the name of the call or event is the first value sent.
 */
export const callChannel = 'headroom:call';
export const eventChannel = 'headroom:event';

/** The name under which the preload puts its bridge on `window`. */
export const bridgeName = 'headroom';
