/** The icons of the app, drawn on a 20 x 20 grid with one stroke width. */
export const iconPaths = {
  workstation:
    'M2.5 5h15v8.5h-15zM5.5 13.5V16M9 13.5V16M12.5 7.2a2 2 0 1 1 0 4.1a2 2 0 1 1 0-4.1M5.5 8h3M5.5 10.5h3',
  plan: 'M3 3v14h14M6.5 13.5v-4M10 13.5v-8M13.5 13.5V8',
  doctor: 'M2 10.5h3.6l2.2-6 4 11 2.2-5H18',
  check: 'M5 2.5h7L16 6.5v11H5zM7.8 11.2l2 2 3.4-4',
  settings:
    'M3 6h7.5M14.5 6H17M3 14h2.5M9.5 14H17M12.5 4a2 2 0 1 1 0 4a2 2 0 1 1 0-4M7.5 12a2 2 0 1 1 0 4a2 2 0 1 1 0-4',
  bell: 'M3.5 14.5h13l-1.6-2V9a4.9 4.9 0 0 0-9.8 0v3.5zM8.2 17.2h3.6',
  keys: 'M2.5 5.5h15v9h-15zM5.5 8.5h.1M8.5 8.5h.1M11.5 8.5h.1M14.5 8.5h.1M6 11.8h8',
  pause: 'M7 4.5v11M13 4.5v11',
  play: 'M6.5 4.2l9 5.8-9 5.8z',
  chevronRight: 'M7.5 5l5 5-5 5',
  chevronDown: 'M5 7.5l5 5 5-5',
  sortUp: 'M6 11.5l4-4 4 4',
  sortDown: 'M6 8.5l4 4 4-4',
  search: 'M8.5 3.5a5 5 0 1 1 0 10a5 5 0 1 1 0-10M12.2 12.2l4.3 4.3',
  close: 'M5 5l10 10M15 5L5 15',
} as const;

export type IconName = keyof typeof iconPaths;
