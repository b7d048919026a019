/** One notification of the desktop, in words already translated. */
export interface Notice {
  /** Names what it is about; a later one of the same id replaces it where it still shows. */
  readonly id: string;
  readonly title: string;
  readonly body: string;
  /** Stays until it is answered, where the desktop can do that. */
  readonly critical: boolean;
  readonly onClick: () => void;
}

/** The desktop's notifications. Behind an interface, because a test can neither see nor click one. */
export interface Notifications {
  isSupported(): boolean;
  show(notice: Notice): void;
}
