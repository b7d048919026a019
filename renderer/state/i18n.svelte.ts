import { dateFormat, numberFormat } from '../../shared/formats';
import { message, type Message, type MessageKey, type ValuesOf } from '../../shared/i18n/message';
import { translate, type Locale } from '../../shared/i18n/translate';
import {
  formatBytes,
  formatBytesIn,
  formatDuration,
  formatNumber,
  formatPercent,
  formatShort,
  type ByteUnit,
} from '../../shared/units';

/** Turns Messages and numbers into words of the chosen language. Reading it in a template makes that text follow. */
export class I18n {
  readonly #locale: () => Locale;

  constructor(locale: () => Locale) {
    this.#locale = locale;
  }

  get locale(): Locale {
    return this.#locale();
  }

  /** The words of a catalogue entry. */
  t<K extends MessageKey>(key: K, ...values: keyof ValuesOf<K> extends never ? [] : [ValuesOf<K>]): string {
    return translate(this.locale, message(key, ...values));
  }

  /** The words of a Message that came with the data. */
  text(given: Message): string {
    return translate(this.locale, given);
  }

  number(value: number, fractionDigits = 0): string {
    return numberFormat(this.locale, { maximumFractionDigits: fractionDigits }).format(value);
  }

  /** A large number in the short form of the language: 13B, 130 亿. */
  compact(value: number): string {
    return formatShort(value, this.locale);
  }

  /** How many times as much: 1.00, 1.44, 11.3. */
  ratio(value: number): string {
    const digits = value < 10 ? 2 : 1;
    return numberFormat(this.locale, {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    }).format(value);
  }

  plain(value: number): string {
    return formatNumber(value, this.locale);
  }

  percent(value: number): string {
    return formatPercent(value, this.locale);
  }

  duration(seconds: number): string {
    return formatDuration(seconds, this.locale);
  }

  /** A size with its unit, for a place of its own (not a column). */
  bytes(bytes: number): string {
    return formatBytes(bytes, this.locale);
  }

  /** A size in a column's unit, without the unit's name. */
  bytesIn(bytes: number, unit: ByteUnit): string {
    return formatBytesIn(bytes, unit, this.locale);
  }

  /** Day and time of day, without seconds. `time` is seconds since the epoch. */
  moment(time: number): string {
    return dateFormat(this.locale, {
      dateStyle: 'medium',
      timeStyle: 'short',
      hourCycle: 'h23',
    }).format(time * 1000);
  }

  /** The time of day, with seconds. `time` is seconds since the epoch. */
  clock(time: number): string {
    return dateFormat(this.locale, { timeStyle: 'medium', hourCycle: 'h23' }).format(time * 1000);
  }
}
