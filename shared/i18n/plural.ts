/** The texts of a plural, by the forms of the language: English has two, Chinese one, Polish four. */
export type PluralForms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string };

/** By language; made when first asked for, as most messages have no plural. */
const rules = new Map<string, Intl.PluralRules>();

/** The text for a count in a language (BCP 47); `other` where the form that the language asks for is not given. */
export function pluralText(forms: PluralForms, locale: string, count: number): string {
  const known = rules.get(locale) ?? new Intl.PluralRules(locale);
  rules.set(locale, known);
  return forms[known.select(count)] ?? forms.other;
}
