"""Everyday words of the languages that linguists translate into most, written for this table (CC0).

They come after the frequent words of `language_samples`: what example sentences speak of, so that a line of two or three words
can be told.
"""

from __future__ import annotations

WORDS = {
    "en": """woman child children boy girl father mother brother sister son daughter wife husband dog cat fish bird cow pig horse snake
        tree river road village forest mountain field fire food meat rice bread salt milk stone wood hand head eye foot leg belly mouth
        tooth heart blood name thing place night morning evening year rain sun moon star wind big small good bad old new long short
        black white red many much three four five eat eats ate drink drank sleep slept swim swims swam swimming run ran walk walked goes
        gone sit sat stand stood give gave gives took taken made say says tell told speak spoke ask asked answer saw seen look looked
        hear heard think thought knew love loves like likes live lived die died kill killed cut hit break broke fall fell fly flew hunt
        hunted cook cooked buy bought sell sold work works worked sing sang dance cry laugh play open close put find found call called
        wait stay stayed sick tired happy angry afraid yesterday today tomorrow always never yes please thanks something nothing someone
        nobody mine yours himself herself isn't didn't doesn't can't won't let's book table school money friend teacher king""",
    "es": """niño niña niños padre madre hermano hermana hijo hija esposa esposo marido perro gato pez pescado pájaro vaca cerdo caballo
        culebra árbol río camino pueblo monte fuego comida carne pan sal leche piedra palo leña mano cabeza ojo pie boca diente corazón
        sangre nombre cosa lugar noche mañana tarde año lluvia sol luna estrella viento grande pequeño bueno malo viejo nuevo largo negro
        blanco rojo mucho muchos tres cuatro cinco come comió comer bebe duerme durmió nada corre corrió camina caminó ir fueron fuimos
        sentado da dio dar tomó hizo hacer digo dijeron habla habló pregunta vio ver mira oye piensa sabe sabía quiere quería vive murió
        matar mató corta corté pegó rompió cayó trabaja trabajo trabajó canta baila llora ríe juega abre cierra pone puso encontró llama
        llamó espera enfermo cansado ayer hoy siempre nunca gracias algo alguien nadie mío tuyo libro mesa escuela dinero amigo maestro
        compró vendió tienes viene vino ven llegó salió entró mis tus gente persona señor abuelo abuela tortilla maíz milpa""",
    "pt": """menino menina crianças criança pai mãe irmão irmã filho filha esposa marido cachorro gato peixe pássaro vaca porco cavalo
        cobra árvore rio caminho aldeia mato fogo comida carne pão sal leite pedra pau mão cabeça olho pé boca dente coração sangue nome
        coisa lugar noite manhã tarde ano chuva sol lua estrela vento grande pequeno bom mau velho novo comprido preto branco vermelho
        muitos três quatro cinco come comeu comer bebe bebeu dorme dormiu nadou corre correu anda andou ir foram fomos sentado dá deu dar
        pegou fez fazer disse dizer fala falou perguntou viu ver olha ouviu pensa sabe sabia quer queria mora morreu matou cortou bateu
        quebrou caiu trabalha trabalhou canta cantou dança chora ri brinca abriu fechou pôs achou chamou espera doente cansado ontem hoje
        amanhã sempre nunca obrigado alguém ninguém algo nada livro mesa escola dinheiro amigo comprou vendeu veio chegou saiu entrou
        onça macaco roça rede canoa índio pessoal gente""",
    "fr": """enfant enfants garçon fille père mère frère sœur fils femme mari homme chien chat poisson oiseau vache cochon cheval serpent
        arbre rivière chemin village forêt montagne champ feu nourriture viande riz pain sel lait pierre bois main tête œil yeux pied
        bouche dent cœur sang nom chose lieu nuit matin soir année pluie soleil lune étoile vent grand petit bon mauvais vieux nouveau long
        noir blanc rouge beaucoup trois quatre cinq mange mangé boire boit dort dormi nage court marche allé partir part parti assis
        donne donné pris fait faire dit dire parle parlé demande vu voir regarde entendu pense sait veut vit mort tué coupe coupé frappé
        cassé tombé travaille chante danse pleure rit joue ouvre ferme mis trouvé appelle attend reste malade fatigué hier demain toujours
        jamais merci quelque quelqu'un personne rien livre table école argent ami acheté vendu venu vient viens arrivé sorti entré
        maison eau jour gens""",
    "de": """frau kind kinder junge mädchen vater mutter bruder schwester sohn tochter hund katze fisch vogel kuh schwein pferd schlange
        baum fluss weg dorf wald berg feld feuer essen fleisch reis brot salz milch stein holz hand kopf auge fuß mund zahn herz blut name
        ding ort nacht morgen abend jahr regen sonne mond stern wind groß große klein gut schlecht alt neu lang schwarz weiß rot viele
        drei vier fünf isst aß gegessen trinkt schläft schlief geschlafen schwimmt läuft lief geht ging gegangen gehe gehen sitzt saß steht
        gibt gab gegeben nahm genommen macht machte gemacht sagt sagte spricht fragt fragte sieht sah gesehen hört hörte denkt weiß wusste
        will wollte lebt starb gestorben tötete schneidet schlug fiel gefallen arbeitet singt tanzt weint lacht spielt öffnet legt fand
        gefunden ruft rief wartet bleibt krank müde gestern heute immer nie danke etwas nichts jemand niemand mein dein buch tisch schule
        geld freund lehrer kauft kaufte verkauft kommt kam gekommen bellt wasser haus leute mann tag""",
    "ru": """женщина ребёнок ребенок дети мальчик девочка девушка отец мать брат сестра сын дочь жена муж собака кошка рыба птица корова
        лошадь змея дерево река дорога село лес гора поле огонь еда мясо хлеб соль молоко камень рука голова глаз нога рот зуб сердце кровь
        имя вещь место ночь утро вечер год дождь солнце луна ветер большой большая маленький хороший плохой старый новый чёрный белый
        красный много три четыре пять ест ел съел пьёт пил спит спал бежит идёт идет шёл пошёл пошел пошла пошли ушёл ушла сидит сидел
        стоит даёт дал дала взял взяла сделал делает говорит говорил спросил видит видел увидел смотрит слышит думает знаю знает хочу
        хочет хотел живёт жил умер убил упал работает работал поёт плачет смеётся играет открыл положил нашёл зовут ждёт остался вчера
        сегодня завтра всегда никогда спасибо что-то кто-то никто ничего мой твой моя его книга стол школа деньги друг купил продал пришёл
        пришел пришла приехал вышел вода дом люди человек день мужчина старик""",
    "it": """donna bambino bambini ragazzo ragazza padre madre fratello sorella figlio figlia moglie marito cane gatto pesce uccello mucca
        maiale cavallo serpente albero fiume strada villaggio bosco montagna fuoco cibo carne pane sale latte pietra mano testa occhio
        piede bocca cuore sangue nome cosa luogo notte mattina sera anno pioggia sole luna vento grande piccolo buono vecchio nuovo nero
        bianco rosso molto molti tre quattro cinque mangia mangiato beve dorme nuota corre cammina andato seduto dà dato preso fatto detto
        dice parla visto vede guarda sente pensa sa vuole vive morto ucciso caduto lavora canta piange ride gioca aperto messo trovato
        chiama aspetta ieri oggi domani sempre mai grazie qualcosa qualcuno nessuno libro tavolo scuola soldi amico comprato venduto
        venuto arrivato acqua giorno gente uomo""",
    "nl": """vrouw kind kinderen jongen meisje vader moeder broer zus zoon dochter hond kat vis vogel koe varken paard slang boom rivier weg
        dorp bos berg vuur eten vlees brood zout melk steen hout hand hoofd oog voet mond hart bloed naam ding plaats nacht ochtend avond
        jaar regen zon maan wind groot grote klein goed slecht oud nieuw zwart wit rood veel drie vier vijf eet at gegeten drinkt slaapt
        sliep zwemt loopt liep gaat ging gegaan zit zat staat geeft gaf nam maakt zegt zei spreekt vraagt ziet zag gezien hoort denkt weet
        wil wilde leeft stierf viel werkt zingt danst huilt lacht speelt opent vond roept wacht blijft ziek moe gisteren vandaag morgen
        altijd nooit dank iets niets iemand niemand boek tafel school geld vriend kocht verkocht komt kwam water huis mensen dag""",
    "id": """perempuan anak laki ayah ibu kakak adik suami istri anjing kucing ikan burung sapi babi kuda ular pohon sungai jalan kampung desa
        hutan gunung api makanan daging nasi beras roti garam batu kayu tangan kepala mata kaki mulut gigi hati darah nama barang tempat
        malam pagi sore tahun hujan matahari bulan angin besar kecil baik buruk tua baru panjang hitam putih merah banyak tiga empat lima
        makan minum tidur berenang lari berjalan pergi pulang duduk berdiri memberi beri ambil mengambil buat membuat bilang berkata bicara
        tanya lihat melihat dengar pikir tahu mau hidup mati membunuh jatuh kerja bekerja nyanyi menangis tertawa main buka tutup taruh
        dapat panggil tunggu sakit kemarin sekarang besok selalu buku meja sekolah uang teman guru beli membeli jual datang tiba keluar
        masuk air rumah orang hari saya kamu""",
}  # fmt: skip
