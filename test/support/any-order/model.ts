import type { SecurityEventKind } from '../../../src/security/events/security-event-kinds.js';
import { DAY, HOUR, type ManualClock, MINUTE, SECOND } from '../manual-clock.js';

const ACCESS_TTL = HOUR;
const REFRESH_TTL = 7 * DAY;
const SESSION_MAX_AGE = 30 * DAY;
const REFRESH_GRACE = 10 * SECOND;
const OTP_TTL = 10 * MINUTE;
const RESET_TTL = 15 * MINUTE;
const REPORT_TTL = 7 * DAY;
const DEVICE_RETENTION = 90 * DAY;
const TRIES = 5;
const PASSWORD_CHANGES = 5;

/** Kinds of events of which none may be missing, nor come without what they are about. */
export const RECORDED = [
  'user_created',
  'email_verified',
  'authn_password_change',
  'authn_lockdown',
  'user_updated',
  'user_role_changed',
  'user_disabled',
  'user_enabled',
  'user_deleted',
  'user_restored',
] as const satisfies SecurityEventKind[];
type RecordedKind = (typeof RECORDED)[number];

interface ModelToken {
  text: string;
  expiresAt: number;
}

export interface ModelSession {
  id: string;
  loggedInAt: number;
  rotatedAt: number;
  /** Of the account, by then. */
  recoveries: number;
  /** Its owner was not told of it, since it was ended at the same moment. */
  isUnannounced: boolean;
  /** Error code of whatever ended it. */
  end: string | null;
  accessTokens: ModelToken[];
  /** The refresh token of each generation. */
  refreshTokens: ModelToken[];
}

/** A mailed secret: of several, the newest is the live one. */
class ModelSecret {
  texts: string[] = [];
  private issues: number[] = [];
  private expiresAt = 0;
  private triesLeft = 0;

  constructor(
    private readonly clock: ManualClock,
    private readonly ttl: number,
  ) {}

  /** At least a minute after the last, and five an hour. */
  isWithinQuota(): boolean {
    const [first = 0] = this.issues.length < 5 ? [] : this.issues;
    return this.clock.nowMs() >= Math.max((this.issues.at(-1) ?? 0) + MINUTE, first + HOUR);
  }

  issued(text: string): void {
    const now = this.clock.nowMs();
    this.texts.push(text);
    this.issues = [...this.issues, now].slice(-5);
    this.expiresAt = now + this.ttl;
    this.triesLeft = TRIES;
  }

  isLive(text: string): boolean {
    return text === this.texts.at(-1) && this.hasTries();
  }

  tried(): void {
    if (this.hasTries()) this.triesLeft -= 1;
  }

  kill(): void {
    this.expiresAt = 0;
  }

  clone(): ModelSecret {
    const copy = Object.assign(new ModelSecret(this.clock, this.ttl), this);
    return Object.assign(copy, { texts: [...this.texts] });
  }

  private hasTries(): boolean {
    return this.triesLeft > 0 && this.expiresAt > this.clock.nowMs();
  }
}

/**
 * One account and its sessions as they must be after all that its people, a thief and administrators have done: the rules of the
 * contract told once more, without a service.
 */
export class AccountModel {
  exists = false;
  userId = '';
  username: string;
  firstName = '';
  passwords: string[] = [];
  registeredAt = 0;
  isConfirmed = false;
  confirmedAt = 0;
  isDisabled = false;
  isDeleted = false;
  isResetRequired = false;
  isAdmin = false;
  /** Lockdowns and resets by mail. */
  recoveries = 0;
  /** How often somebody who knew the password has changed it, or tried to, since each recovery. */
  passwordChanges: Record<number, number> = {};
  sessions: ModelSession[] = [];
  /** Devices and networks that a login is no surprise from. */
  knownDevices: string[] = [];
  /** How many of each kind were mailed. */
  mails = {
    'email-verification': 0,
    'password-reset': 0,
    'security-alert': 0,
    'password-changed': 0,
    'username-changed': 0,
    'new-device': 0,
  };
  /** How many security events of each kind that is recorded with what it is about, or neither. */
  events: Partial<Record<RecordedKind, number>> = {};
  otp: ModelSecret;
  reset: ModelSecret;

  constructor(
    readonly name: string,
    readonly clock: ManualClock,
  ) {
    this.username = name;
    this.otp = new ModelSecret(clock, OTP_TTL);
    this.reset = new ModelSecret(clock, RESET_TTL);
  }

  clone(): AccountModel {
    const copy = Object.assign(new AccountModel(this.name, this.clock), this);
    copy.passwords = [...this.passwords];
    copy.passwordChanges = { ...this.passwordChanges };
    copy.knownDevices = [...this.knownDevices];
    copy.mails = { ...this.mails };
    copy.events = { ...this.events };
    copy.otp = this.otp.clone();
    copy.reset = this.reset.clone();
    copy.sessions = this.sessions.map((session) => ({
      ...session,
      accessTokens: [...session.accessTokens],
      refreshTokens: [...session.refreshTokens],
    }));
    return copy;
  }

  session(id: string): ModelSession {
    return this.sessions.find((one) => one.id === id) as ModelSession;
  }

  get email(): string {
    return `${this.name}@example.com`;
  }

  get isActive(): boolean {
    return this.exists && !this.isDisabled && !this.isDeleted;
  }

  /** Registered, and not to be replaced by another registration of its address. */
  get isTaken(): boolean {
    const isLate = this.registeredAt <= this.clock.nowMs() - OTP_TTL;
    return this.exists && (this.isConfirmed || !this.isActive || !isLate);
  }

  get awaitsCode(): boolean {
    return this.isActive && !this.isConfirmed;
  }

  get liveSessions(): ModelSession[] {
    return this.sessions.filter(({ end }) => !end);
  }

  record(kind: RecordedKind): void {
    this.events[kind] = (this.events[kind] ?? 0) + 1;
  }

  register(userId: string, password: string): void {
    Object.assign(this, { exists: true, userId, registeredAt: this.clock.nowMs(), passwords: [password] });
    this.firstName = 'Ada';
    this.isAdmin = false;
    this.events = {};
    this.record('user_created');
    // What was mailed to the account before it is of no use.
    this.otp.kill();
    this.reset.kill();
  }

  /** @returns the code of the refusal, or null */
  loginRefusal(password: string): string | null {
    if (!this.isActive || password !== this.passwords.at(-1)) return 'invalid_credentials';
    if (!this.isConfirmed) return 'email_not_verified';
    return this.isResetRequired ? 'password_reset_required' : null;
  }

  /** @param isUnannounced as of the session */
  login(id: string, tokens: Record<'access' | 'refresh', string>, device: string, isUnannounced: boolean): void {
    const now = this.clock.nowMs();
    const session: ModelSession = {
      id,
      loggedInAt: now,
      rotatedAt: now,
      recoveries: this.recoveries,
      isUnannounced,
      end: null,
      accessTokens: [],
      refreshTokens: [],
    };
    this.sessions.push(session);
    this.addTokens(session, tokens.access, tokens.refresh);
    if (!isUnannounced && !this.knownDevices.includes(device)) this.meetDevice(device);
  }

  /** The lifetime of an access token that is issued now, in seconds. */
  expiresIn({ loggedInAt }: Pick<ModelSession, 'loggedInAt'>): number {
    return Math.floor(this.accessExpiry(loggedInAt) / SECOND) - Math.floor(this.clock.nowMs() / SECOND);
  }

  /** @returns the code of the refusal, or null */
  accessRefusal({ end }: ModelSession, { expiresAt }: ModelToken): string | null {
    return expiresAt <= this.clock.nowMs() ? 'token_expired' : end;
  }

  /** What presenting the refresh token of a generation leads to: another pair, the same successor again, or a refusal. */
  refreshOutcome(session: ModelSession, generation: number): { next: 'rotated' | 'repeated' } | { refusal: string } {
    const now = this.clock.nowMs();
    const current = session.refreshTokens.length - 1;
    if ((session.refreshTokens[generation] as ModelToken).expiresAt <= now) return { refusal: 'token_expired' };
    if (session.end) return { refusal: session.end };
    if (generation === current) return { next: 'rotated' };
    if (generation === current - 1 && now - session.rotatedAt <= REFRESH_GRACE) return { next: 'repeated' };
    return { refusal: 'refresh_token_reused' };
  }

  rotate(session: ModelSession, accessToken: string, refreshToken: string): void {
    session.rotatedAt = this.clock.nowMs();
    this.addTokens(session, accessToken, refreshToken);
  }

  addAccessToken(session: ModelSession, text: string): void {
    session.accessTokens.push({ text, expiresAt: this.accessExpiry(session.loggedInAt) });
  }

  end(reason: string, sessions = this.sessions): void {
    for (const session of sessions) session.end ??= reason;
  }

  /** @returns whether the quota of changes may be used up; it need not be, since its hour may have passed */
  triedToChangePassword(): boolean {
    const before = this.passwordChanges[this.recoveries] ?? 0;
    this.passwordChanges[this.recoveries] = before + 1;
    return before >= PASSWORD_CHANGES;
  }

  changePassword(password: string): void {
    this.mails['password-changed'] += 1;
    this.record('authn_password_change');
    this.passwords.push(password);
    this.isResetRequired = false;
    this.reset.kill();
  }

  /** @returns the code with which the link in the mail about a login is refused, or null */
  reportRefusal({ loggedInAt, recoveries }: ModelSession): string | null {
    if (inSeconds(loggedInAt + REPORT_TTL) <= this.clock.nowMs()) return 'report_link_expired';
    return this.exists && recoveries === this.recoveries ? null : 'report_link_used';
  }

  lockDown(): void {
    this.end('reported_not_me');
    this.record('authn_lockdown');
    this.isResetRequired = true;
    this.recoveries += 1;
    this.knownDevices = [];
  }

  /** Its owner hears of it, unless the account is so young that it was never used from another. */
  private meetDevice(device: string): void {
    const isOld = this.confirmedAt < this.clock.nowMs() - DEVICE_RETENTION;
    if (this.knownDevices.length > 0 || this.recoveries > 0 || isOld) this.mails['new-device'] += 1;
    this.knownDevices.push(device);
  }

  private addTokens(session: ModelSession, accessToken: string, refreshToken: string): void {
    this.addAccessToken(session, accessToken);
    const { rotatedAt, loggedInAt } = session;
    const expiresAt = Math.min(rotatedAt + REFRESH_TTL, inSeconds(loggedInAt) + SESSION_MAX_AGE);
    session.refreshTokens.push({ text: refreshToken, expiresAt: inSeconds(expiresAt) });
  }

  private accessExpiry(loggedInAt: number): number {
    return Math.min(inSeconds(this.clock.nowMs()) + ACCESS_TTL, inSeconds(loggedInAt + SESSION_MAX_AGE));
  }
}

/** Tokens tell times in whole seconds. */
function inSeconds(ms: number): number {
  return ms - (ms % SECOND);
}
