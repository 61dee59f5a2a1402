import { expect } from 'vitest';
import { decodeToken } from '../forged-token.js';
import { newRegistration } from '../personas.js';
import { command, exists, expectRefusal, fromEnd, newPassword } from './command.js';

export const register = command('register', ({ at }) => ({
  async run(model, world) {
    const password = newPassword();
    const registration = newRegistration({
      username: model.name,
      email: model.email,
      password,
      password_confirmation: password,
    });
    const { status, body } = await world.client(at).post('/auth/register', registration);
    if (model.isTaken) {
      expect(status).toBe(422);
      const fields = (body.errors as { field: string }[]).map(({ field }) => field).sort();
      expect(fields).toEqual(model.username === model.name ? ['email', 'username'] : ['email']);
      return;
    }
    expect(status).toBe(201);
    const isMailed = model.otp.isWithinQuota();
    expect(body.data.otp_sent).toBe(isMailed);
    model.register(body.data.user._id as string, password);
    if (isMailed) model.otp.issued(await world.mailed(model, 'email-verification', model.otp.texts.length + 1));
  },
}));

export const resendCode = command('resend code', ({ at }) => ({
  isPossible: exists,
  async run(model, world) {
    const isMailed = model.awaitsCode && model.otp.isWithinQuota();
    const { status } = await world.client(at).post('/auth/resend-otp', { email: model.email });
    expect(status).toBe(200);
    if (isMailed) model.otp.issued(await world.mailed(model, 'email-verification', model.otp.texts.length + 1));
  },
}));

export const verifyCode = command('verify code', ({ at, which, isRight }) => ({
  isPossible: ({ otp }) => otp.texts.length > 0,
  async run(model, world) {
    const newest = model.otp.texts.at(-1) as string;
    const guess = String((Number(newest) + 1) % 1_000_000).padStart(6, '0');
    const otp = isRight ? fromEnd(model.otp.texts, which) : guess;
    const isGood = model.awaitsCode && model.otp.isLive(otp);
    const answer = await world.client(at).post('/auth/verify-otp', { email: model.email, otp });
    if (model.awaitsCode) model.otp.tried();
    if (!isGood) return expectRefusal(answer, 400, 'invalid_otp');
    expect(answer.status).toBe(200);
    model.otp.kill();
    model.isConfirmed = true;
  },
}));

export const login = command('login', ({ at, which, isRight, isAll }) => ({
  async run(model, world) {
    const password = (isRight ? model.passwords.at(-1) : fromEnd(model.passwords, which)) ?? 'Wrong-pass1';
    const body = { login: isAll ? model.email : model.username.toUpperCase(), password };
    const answer = await world.client(at).post('/auth/login', body);
    const refusal = model.loginRefusal(password);
    if (refusal) return expectRefusal(answer, refusal === 'invalid_credentials' ? 401 : 403, refusal);
    expect(answer.status).toBe(200);
    const { token, refresh_token, expires_in } = answer.body.data;
    expect(expires_in).toBe(model.expiresIn({ loggedInAt: model.clock.nowMs() }));
    const [, { sid }] = decodeToken(token as string);
    model.login(sid as string, token as string, refresh_token as string);
  },
}));

export const forgetPassword = command('forget password', ({ at }) => ({
  isPossible: exists,
  async run(model, world) {
    const isMailed = model.isActive && model.reset.isWithinQuota();
    expect((await world.client(at).post('/auth/forgot-password', { email: model.email })).status).toBe(200);
    if (!isMailed) return;
    model.forgottenPasswords += 1;
    model.reset.issued(await world.mailed(model, 'password-reset', model.forgottenPasswords));
  },
}));

export const resetPassword = command('reset password', ({ at, which, isRight }) => ({
  isPossible: ({ reset }) => reset.texts.length > 0,
  async run(model, world) {
    const token = fromEnd(model.reset.texts, which);
    const password = isRight ? newPassword() : (model.passwords.at(-1) as string);
    const isGood = model.isActive && model.reset.isLive(token);
    const body = { token, password, password_confirmation: password };
    const answer = await world.client(at).post('/auth/reset-password', body);
    if (!isGood) return expectRefusal(answer, 400, 'invalid_reset_token');
    if (!isRight && model.isResetRequired) return expectRefusal(answer, 422, 'validation_failed');
    expect(answer.status).toBe(200);
    model.reset.kill();
    model.changePassword(password);
    model.end('password_changed');
  },
}));
