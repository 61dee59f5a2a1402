var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
var __param = (this && this.__param) || function (paramIndex, decorator) {
    return function (target, key) { decorator(target, key, paramIndex); }
};
import { isIP } from 'node:net';
import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../common/access/index.js';
import { ApiError } from '../common/errors/index.js';
import { successBody } from '../common/http/index.js';
import { DevelopmentInbox } from './development-inbox.js';
import { InboxPage } from './inbox-page.js';
import { InboxQueryDto, toInboxMailDto } from './inbox.dto.js';
const SHOWN = 50;
let InboxController = class InboxController {
    inbox;
    page;
    constructor(inbox, page) {
        this.inbox = inbox;
        this.page = page;
    }
    /** With `to` a program asks, and gets JSON; without, a person, and gets a page. */
    async getInbox({ to, address }, { hostname }, reply) {
        if (!isOwnName(hostname))
            throw new ApiError('not_found');
        if (to !== undefined)
            return successBody('resource', 200, 'Mails', (await this.inbox.list(to, SHOWN)).map(toInboxMailDto));
        const mails = await this.inbox.list(address || null, SHOWN);
        reply.type('text/html; charset=utf-8');
        return this.page.render(mails, address || null, await this.inbox.count());
    }
};
__decorate([
    Get('inbox'),
    Public({ limit: 'none' }),
    __param(0, Query()),
    __param(1, Req()),
    __param(2, Res({ passthrough: true })),
    __metadata("design:type", Function),
    __metadata("design:paramtypes", [InboxQueryDto, Object, Object]),
    __metadata("design:returntype", Promise)
], InboxController.prototype, "getInbox", null);
InboxController = __decorate([
    ApiExcludeController(),
    Controller('dev'),
    __metadata("design:paramtypes", [DevelopmentInbox,
        InboxPage])
], InboxController);
export { InboxController };
/** A name that somebody else's DNS points here would make their page the inbox's own origin, and able to read it. */
function isOwnName(hostname) {
    const name = hostname.replace(/^\[|\]$/g, '');
    return name === 'localhost' || name.endsWith('.localhost') || isIP(name) !== 0;
}
//# sourceMappingURL=inbox.controller.js.map