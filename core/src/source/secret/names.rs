//! Names of files that are secrets in any directory: environments, keys, credentials of services,
//! states of infrastructure tools, histories of shells, configuration that contains passwords.
//!
//! The lists follow what public scanners (gitleaks, trufflehog, GitGuardian, gitrob) report by
//! name, without those names that usually belong to sources, such as `settings.py` and `*.sql`.

use std::sync::OnceLock;

use memchr::memmem;
use rustc_hash::FxHashSet;

use crate::base::path;

/// Whole names.
const NAMES: &str = "
    .envrc .flaskenv .secrets .secret .secret_key .netrc _netrc .authinfo .authinfo.gpg .pgpass
    pgpass.conf .my.cnf .mylogin.cnf .git-credentials .gitcookies .htpasswd .htdigest htpasswd
    master.passwd sam.hive ntds.dit .fetchmailrc .msmtprc .esmtprc .mailrc .muttrc .offlineimaprc
    .mbsyncrc .smbcredentials .cifscredentials .rhosts .vnc_passwd otr.private_key secring.gpg
    trustdb.gpg pubring.kbx proftpdpasswd krb5.keytab ssh_host_rsa_key ssh_host_dsa_key
    ssh_host_ecdsa_key ssh_host_ed25519_key authorized_keys2 private_key privatekey secret_key
    master_key encryption_key signing_key .npmrc .pypirc pip.conf .pip.conf settings-security.xml
    .dockercfg application_default_credentials.json access_tokens.db accesstokens.json
    aws_credentials awscredentials aws_credentials.json rootkey.csv accesskeys.csv .boto .s3cfg
    .s3curl rclone.conf .databrickscfg kaggle.json .sentryclirc .trello .serverlessrc .terraformrc
    terraform.rc credentials.tfrc.json .tugboat .hub .slack-token .slackrc .twilio-cli
    .circleci-token .travis-token ngrok.yml .ngrok.yml .vault-token vault-token .vaultpass
    vaultpass heroku.json .github_token .gitlab_token .npm_token .api_key .apikey .access_token
    .auth_token .token .credentials .creds .passwords .password .passwd gha-creds.json gcloud.json
    gcp-key.json gcp_key.json gcloud-service-key.json firebase-adminsdk.json
    play-store-credentials.json appstore_key.json wp-config.php localsettings.php config.inc.php
    configuration.user.xpl local_settings.py settings_local.py local.settings.json
    appsettings.local.json appsettings.production.json appsettings.staging.json
    appsettings.secrets.json usersecrets.json database.yml mongoid.yml secret_token.rb
    prod.secret.exs dev.secret.exs knife.rb filezilla.xml sitemanager.xml recentservers.xml
    webservers.xml sftp-config.json sftp.json .ftpconfig .ftppass .remote-sync.json
    .deployment-config.json deployment-config.json robomongo.json dbeaver-data-sources.xml
    tomcat-users.xml jenkins.plugins.publish_over_ssh.bapsshpublisherplugin.xml ventrilo_srv.ini
    hudson.util.secret initialadminpassword unattend.xml autounattend.xml sysprep.inf sysprep.xml
    wpa_supplicant.conf ipsec.secrets chap-secrets pap-secrets logins.json signons.sqlite key3.db
    key4.db cookies.sqlite grafana.ini ansible_vault_password signing.properties
    keystore.properties key.properties .bash_secrets .zsh_secrets .lesshst .viminfo .dbshell
    .wget-hsts consolehost_history.txt .histfile .zhistory .netrwhist token.json token.pickle
    .dockerconfigjson k3s.yaml connectionstrings.config .google_authenticator .rediscli_auth
    .passwd-s3fs passwd-s3fs smbpasswd secrets.tdb passdb.tdb client_id.json cookies.txt
    sa-key.json sa_key.json service-key.json service_key.json keyfile.json wallet.dat mnemonic.txt
    oauth_creds.json pg_service.conf .pg_service.conf .odbc.ini cwallet.sso .hgrc .cvspass
    .p4tickets p4tickets.txt .arcrc .curlrc .wgetrc openrc.sh keystonerc keystonerc_admin
    clouds.yaml clouds.yml .restic_password .borg_passphrase wg0.conf wg1.conf wg-client.conf
    vpn-auth.txt ultravnc.ini winscp.ini putty.reg confcons.xml mobaxterm.ini
";

/// Last extensions.
const EXTENSIONS: &str = "
    env pem key p8 p12 pfx pkcs12 pkcs8 jks jceks bks keystore truststore keytab kdb kdbx psafe3
    ppk pvk snk ovpn rdp tblk agilekeychain opvault 1pif 1pux keychain keychain-db kwallet keyring
    tpm fve bek cscfg publishsettings pubxml.user tfstate tfvars gnucash pcap wallet age-key
    mobileprovision provisionprofile htpasswd credentials credential secret secrets privkey
    private sshkey dockercfg netrc kubeconfig cred creds remmina
";

/// Ends of names that are longer than an extension.
const ENDS: &str = "
    .tfvars.json .secret.yml .secret.yaml .secrets.yml .secrets.yaml .secret.json .secrets.json
    .secrets.toml _rsa _dsa _ecdsa _ed25519 -firebase-adminsdk.json .private-key _private_key
    .decrypted.yml .dec.yaml kubeconfig.yaml kubeconfig.yml -kubeconfig -openrc.sh private.asc
    secret.asc
";

/// Starts of names; a name that ends like that of a source is not meant.
const STARTS: &str = "
    .env. .env- .env_ .envrc. id_rsa id_dsa id_ecdsa id_ed25519 kubeconfig .kubeconfig .vault_pass
    .vault-pass vault_pass vault-pass .vault_password .netrc. .pgpass. .my.cnf. .htpasswd. .npmrc.
    .pypirc. wp-config.php. .git-credentials. firebase-adminsdk rootkey .ansible_vault utc--
    lastpass_export bitwarden_export
";

/// Starts of names with one of [`DATA`] as extension.
const DATA_STARTS: &str = "
    credential secrets service_account service-account serviceaccount client_secret client-secret
    gcp-credentials gcp_credentials google-credentials google_credentials gcloud-credentials
    aws-credentials aws_credentials accesskeys access_keys accesskey access_key api_keys api-keys
    apikeys api_key api-key apikey private_key private-key passwords passwd oauth_token
    oauth-token access_token access-token auth_token auth-token .credential
";

/// Extensions of data.
const DATA: &str = "
    json yml yaml toml ini cfg conf properties xml csv txt plist db sqlite enc env
";

/// Names in certain directories.
const TAILS: &str = "
    .cargo/credentials .cargo/credentials.toml .m2/settings.xml .gem/credentials
    .gradle/gradle.properties .composer/auth.json .bundle/config .pip/pip.conf .config/hub
    .config/git/credentials .config/pip/pip.conf .cache/huggingface/token .netlify/config.json
    .vercel/auth.json .circleci/cli.yml .travis/config.yml .ngrok2/ngrok.yml
    .jupyter/jupyter_server_config.json .mc/config.json .weechat/sec.conf .chef/knife.rb
    .expo/state.json .tccli/default.credential .wrangler/config/default.toml
    .streamlit/secrets.toml .heroku/credentials app/etc/env.php app/etc/local.xml
    sites/default/settings.php etc/sudoers .idea/webservers.xml .idea/datasources.local.xml
    .vscode/sftp.json config/initializers/secret_token.rb secrets/master.key fish/fish_history
    jenkins/credentials.xml .terraform/terraform.tfstate config/parameters.yml etc/shadow
    etc/gshadow kubernetes/admin.conf kubernetes/kubelet.conf .davfs2/secrets .codex/auth.json
    opencode/auth.json mysql/debian.cnf .bazaar/authentication.conf .lftp/bookmarks .vnc/passwd
";

/// Files of a directory whose name ends with `.git`, a repository without a work tree.
const REPOSITORY: &[&str] =
    &["config", "config.worktree", "credentials", "head", "fetch_head", "packed-refs"];

/// Suffixes of copies.
const COPIES: &str = "
    ~ .bak .bk .old .orig .original .backup .save .saved .copy .swp .swo .tmp .prev .1 .2
    .disabled
";

/// Words that mark a template, which contains names and no values.
const TEMPLATES: &str = "
    example examples sample template templates tmpl tpl dist skel schema default defaults dummy
    placeholder j2 jinja2 jinja ejs
";

/// Extensions of sources and documents: these are about secrets.
const SOURCES: &str = "
    rs go py pyi js mjs cjs ts mts cts jsx tsx java kt kts scala c h cc cpp cxx hpp hh m mm cs fs
    vb rb php swift dart lua pl pm ex exs erl hs ml mli clj r jl zig nim vue svelte html htm css
    scss md mdx rst adoc proto graphql tf hcl bats snap svg png pub asciidoc tex
";

/// Parts of names; states of Terraform and their copies.
const PARTS: &[&str] = &[".tfstate", ".tfvars", "-firebase-adminsdk-"];

/// Returns true if a file, by its repository path in lower case, is a secret by its name. O(name).
pub(super) fn is_secret(path: &[u8]) -> bool {
    let (dir, whole) = path::split(path);
    let name = tables().original(whole);
    // Editors put marks around the name of a file that is being edited, or a dot before it.
    let inner = match name {
        [b'.', b'#', inner @ ..] => inner,
        [b'#', inner @ ..] => inner.strip_suffix(b"#").unwrap_or(inner),
        _ => name,
    };
    let is_swap = whole.ends_with(b".swp") || whole.ends_with(b".swo");
    let undotted = name.strip_prefix(b".").filter(|_| is_swap);
    is_secret_name(dir, inner) || undotted.is_some_and(|name| is_secret_name(dir, name))
}

fn is_secret_name(dir: &[u8], name: &[u8]) -> bool {
    let tables = tables();
    let dot = name.iter().rposition(|&byte| byte == b'.');
    let extension = dot.map(|dot| &name[dot + 1..]);
    if tables.names.contains(name) || is_key(name, extension) || tables.is_in_place(dir, name) {
        return true;
    }
    if name.starts_with(b".env.") && !name.ends_with(b".d.ts") && !name.ends_with(b".md") {
        return !tables.is_template(name);
    }
    let is_source = extension.is_some_and(|extension| tables.sources.contains(extension));
    !is_source && !tables.is_template(name) && tables.is_credential(name, extension)
}

/// Returns true for the names of keys, even of examples.
fn is_key(name: &[u8], extension: Option<&[u8]>) -> bool {
    const KEYS: &[&str] = &["pem", "key", "p12", "pfx", "jks", "keystore", "kdbx", "ppk"];
    extension.is_some_and(|extension| is_one_of(extension, KEYS))
        || is_one_of(name, &["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"])
}

/// Returns true for the history of a shell or another interpreter.
fn is_history(name: &[u8]) -> bool {
    const SHELLS: &[&str] = &[
        "bash",
        "zsh",
        "sh",
        "ksh",
        "fish",
        "mysql",
        "psql",
        "sqlite",
        "irb",
        "python",
        "node_repl",
    ];
    let Some(of) = name.strip_suffix(b"history") else { return false };
    let Some(of) = of.strip_suffix(b"_").or_else(|| of.strip_suffix(b"-")) else { return false };
    of.starts_with(b".") || is_one_of(of, SHELLS)
}

fn is_one_of(name: &[u8], list: &[&str]) -> bool {
    list.iter().any(|own| own.as_bytes() == name)
}

type Set = FxHashSet<&'static [u8]>;

/// The lists, the longer ones as sets: every file of a tree is looked up.
struct Tables {
    names: Set,
    extensions: Set,
    sources: Set,
    templates: Set,
    data: Set,
    /// The last components of `tails`.
    tail_names: Set,
    ends: Vec<&'static [u8]>,
    starts: Vec<&'static [u8]>,
    data_starts: Vec<&'static [u8]>,
    tails: Vec<&'static [u8]>,
    copies: Vec<&'static [u8]>,
}

fn tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| {
        let list = |words: &'static str| words.split_ascii_whitespace().map(str::as_bytes);
        Tables {
            names: list(NAMES).collect(),
            extensions: list(EXTENSIONS).collect(),
            sources: list(SOURCES).collect(),
            templates: list(TEMPLATES).collect(),
            data: list(DATA).collect(),
            tail_names: list(TAILS).map(|tail| path::split(tail).1).collect(),
            ends: list(ENDS).collect(),
            starts: list(STARTS).collect(),
            data_starts: list(DATA_STARTS).collect(),
            tails: list(TAILS).collect(),
            copies: list(COPIES).collect(),
        }
    })
}

impl Tables {
    fn is_credential(&self, name: &[u8], extension: Option<&[u8]>) -> bool {
        let is_data = || extension.is_some_and(|extension| self.data.contains(extension));
        name == b".env"
            || extension.is_some_and(|extension| self.extensions.contains(extension))
            || self.starts.iter().any(|start| name.starts_with(start))
            || self.ends.iter().any(|end| name.ends_with(end))
            || is_history(name)
            || self.data_starts.iter().any(|start| name.starts_with(start)) && is_data()
            || PARTS.iter().any(|part| memmem::find(name, part.as_bytes()).is_some())
    }

    /// Returns true if the name is that of a secret in its directory.
    fn is_in_place(&self, dir: &[u8], name: &[u8]) -> bool {
        let is_tail = |tail: &[u8]| {
            let (parents, own) = path::split(tail);
            let above = dir.strip_suffix(parents).filter(|_| own == name);
            above.is_some_and(|above| matches!(above.last(), None | Some(b'/')))
        };
        self.tail_names.contains(name) && self.tails.iter().any(|tail| is_tail(tail))
            || dir.ends_with(b".git") && is_one_of(name, REPOSITORY)
            // Translations are called that, too, but not at the root.
            || dir.is_empty() && name == b"auth.json"
    }

    fn is_template(&self, name: &[u8]) -> bool {
        let mut words = name.split(|byte| matches!(byte, b'.' | b'-' | b'_'));
        words.any(|word| self.templates.contains(word))
    }

    /// Returns the name of the file that a copy was made of: `id_rsa.bak` is a copy of `id_rsa`.
    fn original<'n>(&self, mut name: &'n [u8]) -> &'n [u8] {
        // Most names do not end like a copy.
        while let Some(rest) = self.copies.iter().find_map(|copy| name.strip_suffix(*copy))
            && !rest.is_empty()
        {
            name = rest;
        }
        name
    }
}
