var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/clock/index.js';
import { isDatabaseUnavailable } from '../../infrastructure/database/index.js';
import { MailTransport } from '../delivery/mail-transport.js';
import { MailSeal } from './mail-seal.js';
import { LEASE_MS, MailsRepository } from './mails.repository.js';
const POLL_MS = 500;
/** Mails sent at the same time: one slow mail server does not hold up the other recipients. */
const LANES = 4;
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 120_000;
/** Sends stored mails, in every instance; a lease in the database gives each mail to one of them. */
let MailWorker = class MailWorker {
    mails;
    seal;
    transport;
    clock;
    logger = new Logger('Mail');
    lanes = [];
    sleepers = new Set();
    isStopping = false;
    constructor(mails, seal, transport, clock) {
        this.mails = mails;
        this.seal = seal;
        this.transport = transport;
        this.clock = clock;
    }
    onApplicationBootstrap() {
        if (!this.transport.isConfigured) {
            this.logger.warn('SMTP_HOST is not set: mails are stored and wait');
            return;
        }
        for (let lane = 0; lane < LANES; lane += 1)
            this.lanes.push(this.run(lane));
    }
    async onModuleDestroy() {
        this.isStopping = true;
        this.wake();
        await Promise.all(this.lanes);
    }
    /** There may be something to send. */
    wake() {
        for (const sleeper of this.sleepers)
            sleeper();
    }
    /**
     * The loop runs in the context in which the application started. Were mails sent by whoever posts them, the worker
     * would find itself in that caller's transaction.
     */
    async run(lane) {
        while (!this.isStopping) {
            try {
                if (lane === 0)
                    await this.dropExpired();
                while (!this.isStopping && (await this.sendNext()))
                    ;
            }
            catch (error) {
                if (!isDatabaseUnavailable(error))
                    this.logger.error({ err: error }, 'The mail worker stumbled, and goes on');
            }
            if (!this.isStopping)
                await this.sleep();
        }
    }
    async sleep() {
        await new Promise((resolve) => {
            const wake = () => {
                clearTimeout(timer);
                this.sleepers.delete(wake);
                resolve();
            };
            const timer = setTimeout(wake, POLL_MS);
            this.sleepers.add(wake);
        });
    }
    async dropExpired() {
        const count = await this.mails.expireOutdated();
        if (count > 0)
            this.logger.warn(`${count} mails could not be sent before their codes expired`);
    }
    /** @returns false when nothing was due */
    async sendNext() {
        const mail = await this.mails.leaseNext();
        if (!mail)
            return false;
        const renewal = setInterval(() => void this.mails.renewLease(mail.id).catch(() => undefined), LEASE_MS / 3);
        try {
            const context = this.seal.unseal(mail.sealed);
            await this.transport.deliver({ id: mail.id, kind: mail.kind, to: mail.to, context });
            await this.mails.markSent(mail.id);
        }
        catch (error) {
            await this.postpone(mail, error);
        }
        finally {
            clearInterval(renewal);
        }
        return true;
    }
    async postpone(mail, error) {
        const reason = error.message.slice(0, 200);
        const isRefusedForGood = (error.responseCode ?? 0) >= 500;
        if (isRefusedForGood) {
            this.logger.warn({ mail: mail.id, kind: mail.kind, reason }, 'A mail was refused for good');
            await this.mails.markFailed(mail.id, reason);
            return;
        }
        const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (mail.attempts - 1), LONGEST_PAUSE_MS);
        this.logger.warn({ mail: mail.id, kind: mail.kind, reason, retry_in_ms: pauseMs }, 'A mail waits for another attempt');
        await this.mails.retryAt(mail.id, new Date(this.clock.nowMs() + pauseMs), reason);
    }
};
MailWorker = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [MailsRepository,
        MailSeal,
        MailTransport,
        Clock])
], MailWorker);
export { MailWorker };
//# sourceMappingURL=mail-worker.js.map