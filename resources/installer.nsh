# electron-builder takes this file by its name. An uninstaller deletes the program's folder with all that is in it, also
# the one that an update runs: a journal that somebody put there ends it. Otherwise it says where the journal stays.

!macro sayKept
  StrCpy $R0 "What this terminal knows stays on this PC, in %LOCALAPPDATA%\Tillcash of each user who worked with it.$\r$\n$\r$\nIt is the book of money under way: delete it only when nothing is open and the provider has revoked the key."
  ${If} $LANGUAGE == 1031
    StrCpy $R0 "Was dieses Terminal weiß, bleibt auf diesem PC, in %LOCALAPPDATA%\Tillcash jedes Benutzers, der damit gearbeitet hat.$\r$\n$\r$\nEs ist das Buch über Geld, das unterwegs ist: Löschen Sie es erst, wenn nichts offen ist und der Anbieter den Schlüssel gesperrt hat."
  ${ElseIf} $LANGUAGE == 1036
    StrCpy $R0 "Ce que ce terminal sait reste sur ce PC, dans %LOCALAPPDATA%\Tillcash de chaque utilisateur qui y a travaillé.$\r$\n$\r$\nC’est le livre de l’argent en cours : ne le supprimez que si rien n’est ouvert et que le fournisseur a révoqué la clé."
  ${ElseIf} $LANGUAGE == 1040
    StrCpy $R0 "Ciò che questo terminale sa resta su questo PC, in %LOCALAPPDATA%\Tillcash di ogni utente che vi ha lavorato.$\r$\n$\r$\nÈ il registro del denaro in corso: lo elimini solo quando nulla è aperto e il fornitore ha revocato la chiave."
  ${EndIf}
  MessageBox MB_OK|MB_ICONINFORMATION "$R0"
!macroend

!macro customUnInstall
  ${If} ${FileExists} "$INSTDIR\journal.db"
    MessageBox MB_OK|MB_ICONSTOP "$INSTDIR\journal.db: this terminal's data lies in the program's folder. Nothing was removed. Call support." /SD IDOK
    SetErrorLevel 2
    Quit
  ${EndIf}
  ${IfNot} ${Silent}
  ${AndIfNot} ${isUpdated}
    !insertmacro sayKept
  ${EndIf}
!macroend
