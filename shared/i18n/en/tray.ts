/** The icon in the tray: its menu, the text beside the pointer, and what is said once about it. */
export const tray = {
  show: 'Show Headroom',
  headline: 'Headroom: {host}',
  simulated: 'Headroom: simulated cards',
  noReadings: 'No readings of the cards',
  card: 'Card {card}, {name}: {used} of {total} {unit}',
  cardUnknown: 'Card {card}, {name}: memory unknown',
  cardLost: 'Card {card}, {name}: does not answer',
  staleJob: 'Stale: {job}, {held:bytes}',
  snooze: 'Snooze alerts for 1 hour',
  snoozed: 'Alerts are snoozed until {time}. Announce them again',

  closeTitle: 'Headroom stays in the tray',
  closeText: 'The window closes, and Headroom goes on watching the cards from the tray.',
  closeDetail: 'The icon’s menu shows the window again or quits. Settings change what closing does.',
  closeKeep: 'Keep it in the tray',
  closeQuit: 'Quit Headroom',

  noHostTitle: 'This desktop shows no tray',
  noHostText:
    'Headroom works without it; closing the window ends Headroom. On GNOME, the extension AppIndicator adds a tray.',
} as const;
