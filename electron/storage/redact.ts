const hidden = '***';

/** Tokens that services hand out, known by their shape: Hugging Face, OpenAI, GitHub, GitLab, Slack, AWS, W&B-like hex. */
const tokenShapes =
  /\b(?:hf_[A-Za-z0-9]{8,}|sk-[A-Za-z0-9_-]{8,}|gh[pousr]_[A-Za-z0-9]{8,}|github_pat_\w{8,}|glpat-[\w-]{8,}|xox[abprs]-[\w-]{8,}|A[KS]IA[A-Z0-9]{12,}|[a-f0-9]{40}|eyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*)\b/g;

/** `--api-key=x`, `--token x`, `WANDB_API_KEY=x`, `password: x`, `"secret": "x"`; the name stays, the value goes. */
const namedSecrets =
  /((?:^|[\s,;{"'&?(])(?:-{1,2})?[\w.-]*(?:api[-_]?key|access[-_]?key|private[-_]?key|token|secret|passw(?:or)?d|passphrase|credentials?|authorization|auth)(?:["']?\s*[=:]\s*|\s+(?=[^-\s])))("[^"]*"|'[^']*'|(?:(?:bearer|basic|token)\s+)?[^\s"',;&)}]+)/gi;

/** `https://user:password@host`; the scheme's length is bounded, or a long text of one shape takes quadratic time. */
const urlCredentials = /(\b[a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/@:]+:[^\s/@]+@/gi;

/** The name of a flag whose value comes as the next argument: `--token x`, `--hf-api-key x`. */
const secretFlag =
  /^-{1,2}[\w.-]{0,80}(?:api[-_]?key|access[-_]?key|private[-_]?key|token|secret|passw(?:or)?d|passphrase|credentials?|authorization|auth)$/i;

/** A text without tokens, passwords and keys; paths stay as they are. */
export function hideSecrets(text: string): string {
  return text
    .replace(urlCredentials, `$1${hidden}@`)
    .replace(namedSecrets, `$1${hidden}`)
    .replace(tokenShapes, hidden);
}

/** A command line, argument by argument, without tokens, passwords and keys. */
export function hideSecretsInCommand(command: readonly string[]): readonly string[] {
  return command.map((argument, place) =>
    secretFlag.test(command[place - 1] ?? '') && !argument.startsWith('-') ? hidden : hideSecrets(argument),
  );
}

/**
 * A text without what a bug report must not carry: the home folder becomes `~`, other people's homes lose the name,
 * and tokens and passwords become `***`. Rather hides a word too many than one too few.
 */
export function redact(text: string, homeFolder: string): string {
  const withoutHome = homeFolder.length > 1 ? text.replaceAll(homeFolder, '~') : text;
  return hideSecrets(withoutHome).replace(
    /(\/home\/|\/Users\/|[A-Za-z]:\\Users\\)[^\s/\\:"']+/g,
    `$1${hidden}`,
  );
}
