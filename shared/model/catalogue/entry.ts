/** A model that can be named without a file. */
export interface CatalogueEntry {
  /** What `--model` takes, such as `llama-2-13b`. */
  readonly id: string;
  readonly name: string;
  /** Where the config was published; null for a model that was only made to be measured. */
  readonly source: string | null;
  /** The config's fields under their own names, as a config.json has them. */
  readonly config: Readonly<Record<string, unknown>>;
}
