import { createReadStream } from 'node:fs';
import type { INestApplicationContext } from '@nestjs/common';
import { IsOptional, Matches } from 'class-validator';
import { ApiError } from '../common/errors/index.js';
import { Config } from '../infrastructure/config/index.js';
import { Transactions } from '../infrastructure/database/index.js';
import { MailsRepository } from '../mail/index.js';
import { OneTimeSecrets, PasswordHasher, RequestValidationPipe, SecurityEvents } from '../security/index.js';
import { AccountAnnouncements, AccountFieldsDto, AccountsRepository, isActive } from '../users/index.js';
import { type CommandResult, RefusedError } from './command.js';

/** So many problems are told. */
const TOLD = 50;
/** Fewer are imported in seconds; of more it is told how far it is. */
const MANY = 1_000;
const TOLD_TIMES = 10;
/** So many accounts are imported at a time: the store writes them to disk together. */
const BATCH = 32;

/** Far more than a line about an account has: a file of another kind must not fill the memory. */
const LONGEST_LINE = 65_536;

/** `y` is PHP's letter for what others call `b`. */
const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;

/** An account of the system that comes before this one, whose address that system has confirmed. */
class FormerAccount extends AccountFieldsDto {
  @IsOptional()
  @Matches(BCRYPT, { message: '$property must be a bcrypt hash' })
  password_hash?: string | null;
}

interface Line {
  number: number;
  text: string;
}

/**
 * Imports accounts from a file with a JSON object on each line. The whole file is checked before the first is imported. One whose
 * address has an account already is left out, so that an import that was interrupted can be repeated.
 * @throws RefusedError with the lines that are wrong, in which case nothing is imported; or, at the end, with those whose username is
 * somebody else's
 */
export async function importAccounts(
  app: INestApplicationContext,
  file: string,
  tell: (progress: string) => void,
): Promise<CommandResult> {
  const reader = new FormerAccountReader(app.get(Config).passwords.hashCost);
  const accounts: { number: number; former: FormerAccount }[] = [];
  const problems = new Problems();
  // Once: a pipe cannot be read again.
  for await (const line of linesOf(file)) {
    if (!line.text) continue;
    const former = await reader.read(line).catch(problemIn(line));
    if (typeof former === 'string') problems.add(former);
    else accounts.push({ number: line.number, former });
  }
  problems.refuseIfAny('Nothing was imported');
  if (accounts.length === 0) throw new RefusedError(`There is no account in ${file}`);

  let [imported, present] = [0, 0];
  for (let start = 0; start < accounts.length; start += BATCH) {
    const batch = accounts.slice(start, start + BATCH);
    const outcomes = await Promise.all(
      batch.map(({ number, former }) => importOne(app, former).catch(problemIn({ number }))),
    ).catch((error: Error) => {
      const soFar = `Imported before: ${imported} or some more. Repeat the command: it leaves them as they are`;
      throw new RefusedError(`The import broke off: ${error.message}\n${soFar}`);
    });
    imported += outcomes.filter((outcome) => outcome === true).length;
    present += outcomes.filter((outcome) => outcome === false).length;
    for (const outcome of outcomes) if (typeof outcome === 'string') problems.add(outcome);
    const [before, done] = [start, start + batch.length].map((n) => Math.floor((n * TOLD_TIMES) / accounts.length));
    if (accounts.length >= MANY && before !== done) tell(`${start + batch.length} of ${accounts.length}`);
  }
  const summary = `Imported: ${imported}, there before: ${present}`;
  problems.refuseIfAny(summary);
  return { lines: [summary], data: { imported, present } };
}

/** @returns false if the address has an account already */
async function importOne(app: INestApplicationContext, former: FormerAccount): Promise<boolean> {
  const accounts = app.get(AccountsRepository);
  const announcements = app.get(AccountAnnouncements);
  return app.get(Transactions).run(async () => {
    const owner = await accounts.findByEmail(former.email);
    if (owner && (owner.confirmedAt || !isActive(owner))) return false;
    // Somebody registered the address here, and has not shown that it is theirs: its owner is who confirmed it there.
    if (owner) {
      await accounts.deleteUnconfirmed(owner.userId);
      await app.get(OneTimeSecrets).forgetAll(owner.userId);
      await app.get(MailsRepository).deleteTo(owner.email);
    }
    const account = await accounts.create({
      lastName: former.last_name,
      firstName: former.first_name,
      username: former.username,
      email: former.email,
      passwordHash: former.password_hash?.replace('$2y$', '$2b$') ?? app.get(PasswordHasher).hashOfNobody,
    });
    const { userId } = account;
    await announcements.announceRegistered(account);
    await accounts.confirmEmail(userId);
    await announcements.announceConfirmed(account);
    if (!former.password_hash) await accounts.requirePasswordReset(userId);
    await app.get(SecurityEvents).recordWith({ kind: 'user_created', outcome: 'success', userId, detail: 'cli' });
    return true;
  });
}

/** Reads lines, and knows the names in those that it has read. */
class FormerAccountReader {
  private readonly validation = new RequestValidationPipe();
  private readonly names = new Set<string>();

  constructor(private readonly hashCost: number) {}

  /** @throws ApiError `validation_failed` */
  async read({ text }: Line): Promise<FormerAccount> {
    // What is no UTF-8 has been read as this character.
    if (text.includes('\uFFFD')) throw ApiError.invalidField('line', 'is not UTF-8');
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw ApiError.invalidField('line', 'is not JSON');
    }
    const metadata = { type: 'body', metatype: FormerAccount } as const;
    const former = (await this.validation.transform(value, metadata)) as FormerAccount;
    const { username, email, password_hash } = former;
    // Another cost takes another time, which would tell who was imported.
    const cost = Number(BCRYPT.exec(password_hash ?? '')?.[1] ?? this.hashCost);
    if (cost !== this.hashCost)
      throw ApiError.invalidField('password_hash', `password_hash must be of cost ${this.hashCost}, and not ${cost}`);
    if (!this.isNew(username) || !this.isNew(email))
      throw ApiError.invalidField('username', 'username or email is on an earlier line, too');
    return former;
  }

  private isNew(name: string): boolean {
    const { size } = this.names;
    return this.names.add(name.toLowerCase()).size > size;
  }
}

async function* linesOf(file: string): AsyncGenerator<Line> {
  let [number, rest] = [0, ''];
  for await (const chunk of chunksOf(file)) {
    const text = rest + chunk;
    // The other half of a line's end may be in the next one.
    const end = text.endsWith('\r') ? '\r' : '';
    const lines = text.slice(0, text.length - end.length).split(/\r\n|\n|\r/);
    rest = lines.pop() + end;
    for (const line of lines) yield lineOf((number += 1), line);
    assertShort(number + 1, rest);
  }
  yield lineOf(number + 1, rest);
}

/** @throws RefusedError */
function assertShort(number: number, line: string): void {
  if (line.length > LONGEST_LINE)
    throw new RefusedError(`Line ${number} has more than ${LONGEST_LINE} characters\nNothing was imported`);
}

function lineOf(number: number, line: string): Line {
  assertShort(number, line);
  return { number, text: line.replace(/^\uFEFF/, '').trim() };
}

/** @throws RefusedError if the file cannot be read */
async function* chunksOf(file: string): AsyncGenerator<string> {
  try {
    yield* createReadStream(file, 'utf8');
  } catch (error) {
    throw new RefusedError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

/** What is wrong with a line, in words. */
const problemIn =
  ({ number }: Pick<Line, 'number'>) =>
  (error: unknown): string => {
    if (!(error instanceof ApiError && error.fields)) throw error;
    return `Line ${number}: ${error.fields.map(({ message }) => message).join(', ')}`;
  };

/** What is wrong: how often, and the first of it, since a file of another kind has a problem on each line. */
class Problems {
  private count = 0;
  private readonly first: string[] = [];

  add(problem: string): void {
    this.count += 1;
    if (this.count <= TOLD) this.first.push(problem);
  }

  /** @throws RefusedError */
  refuseIfAny(summary: string): void {
    if (this.count === 0) return;
    const untold = this.count - this.first.length;
    const more = untold > 0 ? [`… and ${untold} more lines`] : [];
    throw new RefusedError([...this.first, ...more, summary].join('\n'));
  }
}
