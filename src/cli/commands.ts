import type { INestApplicationContext } from '@nestjs/common';
import type { Role } from '../common/access/index.js';
import { ID_PATTERN } from '../common/openapi/index.js';
import { Transactions } from '../infrastructure/database/index.js';
import { KnownDevicesRepository, type RunTransaction, Sessions } from '../login-history/index.js';
import { MailsRepository } from '../mail/index.js';
import { Authenticator, OneTimeSecrets, SecurityEvents } from '../security/index.js';
import { type Account, AccountAnnouncements, AccountsRepository, canHaveRole, isActive } from '../users/index.js';
import { API_KEY_COMMANDS } from './api-key-commands.js';
import { type Command, type CommandResult, cutLines, RefusedError } from './command.js';
import { importAccounts } from './import-accounts.js';
import { showAccount, showMailsTo } from './show-account.js';

const LISTED_MAILS = 100;
const WHO = 'email|id';
const ID = new RegExp(ID_PATTERN);

/** @param who address, or the id with which log and events name an account. No username: it may look like an id */
function findAccount(app: INestApplicationContext, who: string): Promise<Account | null> {
  const accounts = app.get(AccountsRepository);
  return ID.test(who) ? accounts.findById(who) : accounts.findByEmail(who);
}

async function accountOf(app: INestApplicationContext, who: string): Promise<Account> {
  const account = await findAccount(app, who);
  if (!account) throw new RefusedError(noAccount(who));
  return account;
}

function noAccount(who: string): string {
  return `There is no account with the address or id ${who}`;
}

/** Mails outlive an account that was never confirmed, and go to mistyped addresses. */
async function showAccountOrMails(app: INestApplicationContext, who: string): Promise<CommandResult> {
  const account = await findAccount(app, who);
  if (account) return showAccount(app, account);
  const shown = await showMailsTo(app, who);
  if (!shown) throw new RefusedError(noAccount(who));
  return { ...shown, lines: [noAccount(who), ...shown.lines] };
}

async function eraseAccountOrMails(app: INestApplicationContext, who: string): Promise<CommandResult> {
  const account = await findAccount(app, who);
  if (account) return eraseAccount(app, account);
  const mails = await app.get(MailsRepository).deleteTo(who);
  if (mails === 0) throw new RefusedError(noAccount(who));
  return { lines: [noAccount(who), `Mails to it that were erased: ${mails}`], data: { user: null, mails } };
}

/** The account must have been deleted before: so every module of a running service has reacted, and it was no mistake. */
async function eraseAccount(app: INestApplicationContext, account: Account): Promise<CommandResult> {
  const { userId, email, deletedAt } = account;
  if (!deletedAt) throw new RefusedError(`${email} is not deleted: DELETE /api/users/${userId} comes first`);
  await app.get(Sessions).endAll(userId, 'account_disabled');
  await app.get(Sessions).removeOld(userId, 'account_disabled');
  await app.get(Transactions).run(async () => {
    const accounts = app.get(AccountsRepository);
    if (!(await accounts.erase(userId))) {
      const what = (await accounts.findById(userId)) ? 'restored' : 'erased';
      throw new RefusedError(`${email} was ${what} meanwhile`);
    }
    await app.get(KnownDevicesRepository).forgetAll(userId);
    await app.get(OneTimeSecrets).forgetAll(userId);
    await app.get(MailsRepository).deleteTo(email);
    await app.get(AccountAnnouncements).announceErased(userId, email);
    await app.get(SecurityEvents).recordWith({ kind: 'user_erased', outcome: 'success', userId, detail: 'cli' });
  });
  await app.get(Authenticator).forgetAccount(userId);
  return { lines: [`The account ${userId} was erased`], data: { user: userId } };
}

interface RoleChange {
  role: Role;
  /** Whether it is given, or taken away from who has it. */
  isGranted: boolean;
  /** What the account is then: `an administrator`. */
  standing: string;
  help: string;
}

function roleCommand({ role, isGranted, standing, help }: RoleChange): Command {
  return {
    argument: WHO,
    help,
    async run(app, who) {
      const { userId, email } = await accountOf(app, who);
      const accounts = app.get(AccountsRepository);
      const before = await app.get(Transactions).run(async () => {
        const account = await accounts.lock(userId);
        if (!account) throw new RefusedError(`The account ${email} was removed meanwhile`);
        if (isGranted && !(canHaveRole(account) && isActive(account)))
          throw new RefusedError(`${email} is ${account.status}: only an active account can have a role`);
        // Whoever has another role than the one that is taken away keeps it.
        if ((account.role === role) === isGranted) return account.role;
        const granted = isGranted ? role : null;
        await accounts.changeStanding(account, { role: granted });
        const detail = `cli: ${granted}`;
        await app.get(SecurityEvents).recordWith({ kind: 'user_role_changed', outcome: 'success', userId, detail });
        return account.role;
      });
      await app.get(Authenticator).forgetAccount(userId);
      const other = before === role ? null : before;
      const also = other ? ` and ${isGranted ? 'no longer' : 'still'} ${other}` : '';
      return { lines: [`${email} is ${standing}${also}`], data: { user: userId, role: isGranted ? role : other } };
    },
  };
}

export const COMMANDS: Record<string, Command> = {
  'show-account': {
    argument: WHO,
    help: 'show an account, its latest logins, mails and security events; or the mails to an address',
    run: showAccountOrMails,
  },
  'grant-admin': roleCommand({
    role: 'admin',
    isGranted: true,
    standing: 'an administrator',
    help: 'make the account an administrator',
  }),
  'revoke-admin': roleCommand({
    role: 'admin',
    isGranted: false,
    standing: 'no administrator any more',
    help: 'take the role of administrator away again',
  }),
  'revoke-sessions': {
    argument: WHO,
    help: 'end every session of the account',
    async run(app, who) {
      const { userId, email } = await accountOf(app, who);
      const recorded: RunTransaction = (work, lock) =>
        app.get(Transactions).run(async () => {
          await lock?.();
          const about = { userId, detail: 'cli: all sessions' };
          await app.get(SecurityEvents).recordWith({ kind: 'authn_token_revoked', outcome: 'success', ...about });
          return work();
        });
      const ended = await app.get(Sessions).endAll(userId, 'session_revoked', { run: recorded });
      // A command does not live on for what a service does after its answer.
      await app.get(Sessions).removeOld(userId, 'session_revoked');
      const sessions = ended === 1 ? '1 session' : `${ended} sessions`;
      return { lines: [`${sessions} of ${email} ended`], data: { user: userId, ended } };
    },
  },
  'erase-account': {
    argument: WHO,
    help: 'erase a deleted account for good, with all that is its own; or the mails to an address',
    run: eraseAccountOrMails,
  },
  'import-accounts': {
    argument: 'file',
    help: 'import confirmed accounts of another system: JSON objects, one on each line',
    run: importAccounts,
  },
  ...API_KEY_COMMANDS,
  'list-mails': {
    argument: null,
    help: 'list the mails that have not left yet, and why',
    async run(app) {
      const mails = await app.get(MailsRepository).listUnsent(LISTED_MAILS);
      const lines = mails.map(({ state, kind, to, created_at, attempts, last_error }) =>
        [state, kind, to, `since ${created_at.toISOString()}`, `${attempts} attempts`, last_error ?? ''].join('  '),
      );
      lines.push(...cutLines(mails.length, LISTED_MAILS));
      return { lines: lines.length > 0 ? lines : ['All mails have left'], data: mails };
    },
  },
};
