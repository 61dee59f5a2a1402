import type { INestApplicationContext } from '@nestjs/common';
import { describeDevice, describeLocation, LoginHistoryRepository } from '../login-history/index.js';
import { MailsRepository } from '../mail/index.js';
import { SecurityEventsRepository } from '../security/index.js';
import type { Account } from '../users/index.js';
import { type CommandResult, cutLines } from './command.js';

const NEWEST = { page: 1, limit: 50 };

/** What an operator needs to know to help somebody, or to look into an attack: no secret is in it. */
export async function showAccount(app: INestApplicationContext, account: Account): Promise<CommandResult> {
  const {
    userId,
    username,
    email,
    firstName,
    lastName,
    status,
    role,
    confirmedAt,
    createdAt,
    updatedAt,
    disabledAt,
    deletedAt,
    isPasswordResetRequired,
  } = account;
  const entries = await app.get(LoginHistoryRepository).list(userId, NEWEST);
  const mails = await mailsTo(app, email);
  const events = await app.get(SecurityEventsRepository).list({ ...NEWEST, user: userId });

  const logins = entries.content.map(({ _id, login_at, ip, user_agent, devices, locations }) => ({
    session: _id.toHexString(),
    login_at,
    ip,
    user_agent: user_agent ?? null,
    device: describeDevice(devices),
    location: describeLocation(locations),
  }));
  const happened = events.content.map(({ at, kind, outcome, ip, by, session, detail }) => ({
    at,
    kind,
    outcome,
    ip,
    by: by?.toHexString() ?? null,
    session,
    detail,
  }));
  const known = { user: userId, username, email, first_name: firstName, last_name: lastName, status, role };
  const times = {
    created_at: createdAt,
    updated_at: updatedAt,
    confirmed_at: confirmedAt,
    disabled_at: disabledAt,
    deleted_at: deletedAt,
    is_password_reset_required: isPasswordResetRequired,
  };
  return {
    lines: [
      line(email, userId, username, status, role, isPasswordResetRequired && 'must reset the password'),
      line(
        'registered',
        createdAt,
        confirmedAt ? 'confirmed' : 'not confirmed',
        confirmedAt,
        disabledAt && 'disabled',
        disabledAt,
        deletedAt && 'deleted',
        deletedAt,
      ),
      ...section('Logins', logins, ({ login_at, ip, device, location }) => line(login_at, ip, device, location)),
      ...mailSection(mails),
      ...section('Events', happened, ({ at, kind, outcome, ip, detail }) => line(at, kind, outcome, ip, detail)),
    ],
    data: { ...known, ...times, logins, mails, events: happened },
  };
}

/** @returns what was sent, or is to be, to an address without an account; null if there is nothing */
export async function showMailsTo(app: INestApplicationContext, address: string): Promise<CommandResult | null> {
  const mails = await mailsTo(app, address);
  return mails.length === 0 ? null : { lines: mailSection(mails), data: { user: null, mails } };
}

type Mails = Awaited<ReturnType<MailsRepository['listTo']>>;

function mailsTo(app: INestApplicationContext, address: string): Promise<Mails> {
  return app.get(MailsRepository).listTo(address, NEWEST.limit);
}

function mailSection(mails: Mails): string[] {
  return section('Mails of the last 7 days', mails, ({ created_at, kind, state, sent_at, attempts, last_error }) =>
    line(created_at, kind, state, sent_at, attempts > 1 && `${attempts} attempts`, last_error),
  );
}

function section<T>(title: string, all: T[], describe: (one: T) => string): string[] {
  const heading = all.length === 0 ? `${title}: none` : `${title}, the newest first:`;
  return ['', heading, ...all.map(describe), ...cutLines(all.length, NEWEST.limit)];
}

function line(...parts: (string | Date | null | undefined | false)[]): string {
  return parts
    .filter((part) => part)
    .map((part) => (part instanceof Date ? part.toISOString() : part))
    .join('  ');
}
