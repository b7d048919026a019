/**
 * What a page of ours may load: its own scripts, styles, fonts and images, and nothing from anywhere else. Sent as a
 * header, where `frame-ancestors` counts too. Svelte's style directives and chart.js pass it, because they set styles
 * through the CSSOM; a style attribute in markup does not.
 */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
