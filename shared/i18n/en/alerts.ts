/** What the alerts say: in the window, in the tray and in notifications. */
export const alerts = {
  nearlyFull: 'Card {card} is {percent:percent} full, {left:bytes} left.',
  willFill: 'Card {card} will be full in about {eta:duration}: {job} grows by {slope:bytes} a second.',
  willFillBetween:
    'Card {card} will be full in {least~most:duration}: {job} grows by {slope:bytes} a second.',
  willFillTogether:
    'Card {card} will be full in {least~most:duration}: {job} together grow by {slope:bytes} a second.',
  willFillUnlisted:
    'Card {card} will be full in {least~most:duration}: what no listed process holds grows by {slope:bytes} a second.',
  leakBetween:
    '{job} on card {card} has grown evenly for {since:duration}, {slope:bytes} a second: full in {least~most:duration}.',
  leak: '{job} on card {card} has grown evenly for {since:duration}, {slope:bytes} a second: full in about {eta:duration}.',
  hot: 'Card {card} is hot: {celsius} °C.',
  throttledByHeat: 'Card {card} slows down because it is too hot.',
  throttledByPower: 'Card {card} slows down: its power supply cannot keep up.',
  cardLost: 'Card {card} no longer answers.',
  eccErrors: {
    one: 'Card {card} reports an uncorrected memory error.',
    other: 'Card {card} reports {count} uncorrected memory errors.',
  },
  staleJob: '{job} is stale and holds {held:bytes}.',
  rankLost: 'Ranks of {job} are gone. Those left hold {held:bytes} and may wait for them forever.',
  diedOnFullCard:
    '{job} ended while card {card} was full ({used:bytes} of {total:bytes}): likely out of memory.',
  hostMemory:
    'Host memory is nearly used up, {left:bytes} left. The largest process is {largest} with {held:bytes}.',
  sharedMemory:
    'Shared memory (/dev/shm) is {percent:percent} full, {left:bytes} left. Data-loader workers that find none end with a bus error; containers get more with --shm-size.',

  standing: 'Alerts that stand',
  before: 'Before',
  announced: 'Alerts are announced by the desktop.',
  listedOnly: 'This desktop shows no notifications, so alerts are listed here only.',
  snoozeAll: 'Snooze all for 1 hour',
  snoozedUntil: 'Nothing is announced until {time}.',
  announceAgain: 'Announce again',
  show: 'Show',
  outcomeEased: 'over after {lasted:duration}',
  outcomeJobEnded: 'the job ended after {lasted:duration}',
  outcomeExpired: 'happened once',

  ruleNearlyFull: 'Card nearly full',
  ruleWillFill: 'Card will be full',
  ruleUneven: 'Uneven use of cards',
  ruleStaleJob: 'Stale job holds memory',
  ruleRankLost: 'Job has lost ranks',
  ruleDiedOnFullCard: 'Likely out of memory',
  ruleHostMemory: 'Host memory low',
  ruleSharedMemory: 'Shared memory low',
  ruleHot: 'Card hot',
  ruleThrottled: 'Card slowed down',
  ruleCardLost: 'Card lost',
  ruleEccErrors: 'Memory errors on a card',
  simulatedTitle: '{title} (simulated)',
  moreTitle: { one: '{count} more alert', other: '{count} more alerts' },
  moreBody: 'The Workstation shows them all.',
} as const;
